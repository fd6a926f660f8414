// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/accel/shapes.h"

namespace tessera::test {
namespace {

graph::Window Rect(int64_t ky, int64_t kx, int64_t sy = 1, int64_t sx = 1, int64_t pad_y = 0,
                   int64_t pad_x = 0) {
  graph::Window w;
  w.kernel = {ky, kx};
  w.stride = {sy, sx};
  w.pad_before = w.pad_after = {pad_y, pad_x};
  return w;
}

}  // namespace

const std::vector<ShapeCase>& ShapeCases() {
  static const std::vector<ShapeCase> cases = {
      {"window_3x3",
       [](Net& n) {
         return n.Conv(n.Input({1, 16, 10, 12}), 32, Square(3));
       }},
      {"window_3x3_tflite",
       [](Net& n) {
         return n.Conv(n.Input({1, 20, 9, 7}), 24, Square(3), 1, isa::Round::kTflite);
       }},
      {"window_3x3_stride_2",
       [](Net& n) {
         return n.Conv(n.Input({1, 16, 11, 12}), 16, Square(3, 2));
       }},
      {"window_5x5_stride_3",
       [](Net& n) {
         return n.Conv(n.Input({1, 5, 17, 19}), 12, Square(5, 3));
       }},
      {"dilated_3x3",
       [](Net& n) {
         return n.Conv(n.Input({1, 16, 12, 12}), 17, Square(3, 1, 2));
       }},
      {"uneven_pads",
       [](Net& n) {
         graph::Window w = Square(3, 2);
         w.pad_before = {0, 0};
         w.pad_after = {1, 1};
         return n.Conv(n.Input({1, 16, 12, 14}), 16, w);
       }},
      {"grouped_wide",
       [](Net& n) {
         return n.Conv(n.Input({1, 64, 6, 6}), 64, Square(3), 2);
       }},
      {"grouped_narrow",
       [](Net& n) {
         return n.Conv(n.Input({1, 24, 6, 7}), 36, Square(3), 6);
       }},
      {"channelwise_3x3",
       [](Net& n) {
         return n.Conv(n.Input({1, 40, 9, 11}), 40, Square(3), 40);
       }},
      {"channelwise_3x3_stride_2",
       [](Net& n) {
         return n.Conv(n.Input({1, 33, 10, 11}), 33, Square(3, 2), 33);
       }},
      {"channelwise_5x5",
       [](Net& n) {
         return n.Conv(n.Input({1, 20, 9, 8}), 20, Square(5), 20);
       }},
      {"channelwise_multiplied",
       [](Net& n) {
         return n.Conv(n.Input({1, 12, 6, 5}), 24, Square(3), 12);
       }},
      {"one_dimension",
       [](Net& n) {
         return n.Conv(n.Input({1, 10, 1, 50}), 20, Rect(1, 9, 1, 2, 0, 4));
       }},
      {"point_stride_2",
       [](Net& n) {
         return n.Conv(n.Input({1, 32, 14, 14}), 48, Rect(1, 1, 2, 2));
       }},
      {"point",
       [](Net& n) {
         return n.Conv(n.Input({1, 40, 7, 9}), 40, Rect(1, 1));
       }},
      {"whole_image_window",
       [](Net& n) {
         return n.Conv(n.Input({1, 20, 4, 5}), 10, Rect(4, 5));
       }},
      {"matrix",
       [](Net& n) {
         return n.Dense(n.Input({1, 100}), 50);
       }},
      {"images_in_rows",
       [](Net& n) {
         return n.Conv(n.Input({6, 10, 6, 6}), 18, Square(3));
       }},
      {"slopes",
       [](Net& n) {
         return n.Prelu(n.Input({1, 40, 7, 9}));
       }},
      {"slopes_behind_window",
       [](Net& n) {
         return n.Prelu(n.Conv(n.Input({1, 20, 9, 7}), 24, Square(3)));
       }},
      {"maximum",
       [](Net& n) {
         return n.MaxPool(n.Input({1, 20, 12, 13}), Square(3, 2));
       }},
      {"maximum_2x2",
       [](Net& n) {
         return n.MaxPool(n.Input({1, 16, 8, 8}), Rect(2, 2, 2, 2));
       }},
      {"average",
       [](Net& n) {
         return n.AvgPool(n.Input({1, 36, 9, 9}), Rect(3, 3, 2, 2));
       }},
      {"average_whole",
       [](Net& n) {
         return n.AvgPool(n.Input({1, 40, 7, 7}), Rect(7, 7));
       }},
      {"sum_of_two",
       [](Net& n) {
         const auto a = n.Input({1, 20, 9, 9}), b = n.Input({1, 20, 9, 9});
         return n.Add(a, b);
       }},
      {"product_of_two",
       [](Net& n) {
         const auto a = n.Input({1, 20, 9, 9}), b = n.Input({1, 20, 9, 9});
         return n.Mul(a, b);
       }},
      {"rescaled",
       [](Net& n) {
         return n.Rescale(n.Input({1, 20, 9, 9}));
       }},
      {"residual",
       [](Net& n) {
         const auto a = n.Input({1, 24, 10, 10}), b = n.Input({1, 16, 10, 10});
         return n.Add(n.Conv(b, 24, Square(3)), a);
       }},
      {"residual_tflite",
       [](Net& n) {
         const auto a = n.Input({1, 24, 10, 10}), b = n.Input({1, 16, 10, 10});
         return n.Add(a, n.Conv(b, 24, Square(3), 1, isa::Round::kTflite), isa::Round::kTflite);
       }},
      {"difference_of_two",
       [](Net& n) {
         const auto a = n.Input({1, 20, 9, 9}), b = n.Input({1, 20, 9, 9});
         return n.Sub(a, b);
       }},
      {"difference_from_a_product",
       [](Net& n) {
         const auto a = n.Input({1, 24, 10, 10}), b = n.Input({1, 16, 10, 10});
         return n.Sub(a, n.Conv(b, 24, Square(3), 1, isa::Round::kTflite));
       }},
      {"flattened",
       [](Net& n) {
         const auto a = n.AvgPool(n.Input({1, 24, 5, 5}), Rect(5, 5));
         return n.Reshape(a, {1, 24});
       }},
  };
  return cases;
}

}  // namespace tessera::test
