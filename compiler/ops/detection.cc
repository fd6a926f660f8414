// SPDX-License-Identifier: Apache-2.0
//
// Post-processing of TFLite's detectors. Custom operator TFLite_Detection_PostProcess: decodes
// boxes from offsets to anchors, then selects the best ones that do not overlap, for all classes at
// once (fast) or class by class (regular); its options are a flexbuffer. NON_MAX_SUPPRESSION_V4 and
// V5: boxes of one class.
#include <flatbuffers/flexbuffers.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/ops/boxes.h"
#include "compiler/ops/composed.h"
#include "compiler/ops/reduce.h"
#include "compiler/ops/topk.h"

namespace tessera::ops {
namespace {

using graph::GatherAttributes;

constexpr int64_t kMostEach = 1 << 10;  // limit of each count in the options

struct DetectionOptions {
  int64_t most = 0;       // boxes
  int64_t per_box = 0;    // classes of a box in the results
  int64_t per_class = 0;  // boxes, in regular mode
  int64_t classes = 0;
  bool regular = false;
  float low = 0;     // the least score
  float share = 0;   // overlap (intersection over union) above which a box is dropped
  float scale[4]{};  // of y, x, height, width
};

Result<DetectionOptions> ReadOptions(const Converter& c) {
  const auto* bytes = c.op().table->custom_options();
  std::vector<uint8_t> tracker;
  if (!bytes || bytes->size() < 3 ||
      !flexbuffers::VerifyBuffer(bytes->data(), bytes->size(), &tracker) ||
      !flexbuffers::GetRoot(bytes->data(), bytes->size()).IsMap())
    return c.Invalid("its options are no flexbuffer with a map");
  const auto map = flexbuffers::GetRoot(bytes->data(), bytes->size()).AsMap();
  DetectionOptions made;
  made.most = map["max_detections"].AsInt64();
  made.per_box = map["max_classes_per_detection"].AsInt64();
  made.per_class =
      map["detections_per_class"].IsNull() ? 100 : map["detections_per_class"].AsInt64();
  made.classes = map["num_classes"].AsInt64();
  made.regular = map["use_regular_nms"].AsBool();
  made.low = map["nms_score_threshold"].AsFloat();
  made.share = map["nms_iou_threshold"].AsFloat();
  constexpr const char* kScales[] = {"y_scale", "x_scale", "h_scale", "w_scale"};
  for (const int64_t count : {made.most, made.per_box, made.per_class}) {
    if (count < 1 || count > kMostEach)
      return c.Invalid(
          "max_detections {}, max_classes_per_detection {}, detections_per_class {}; 1 to {} are "
          "accepted",
          made.most, made.per_box, made.per_class, kMostEach);
  }
  for (size_t k = 0; k < 4; ++k) {
    made.scale[k] = map[kScales[k]].AsFloat();
    if (!std::isfinite(made.scale[k]) || made.scale[k] == 0)
      return c.Invalid("{} is {}", kScales[k], made.scale[k]);
  }
  if (!(made.share > 0 && made.share <= 1) || std::isnan(made.low))
    return c.Invalid("nms_iou_threshold {}, nms_score_threshold {}", made.share, made.low);
  return made;
}

// One detector's post-processing, on floats: [1, boxes, ...].
class Detection {
 public:
  Detection(Converter& c, const DetectionOptions& of) : c_(c), of_(of), make_(c) {}

  Status Convert() {
    TESSERA_ASSIGN(const TensorId offsets, Floats(0));
    TESSERA_ASSIGN(scores_, Floats(1));
    TESSERA_ASSIGN(const TensorId anchors, Floats(2));
    const Shape in = make_.shape(offsets), scored = make_.shape(scores_);
    const int64_t boxes = in.size() == 3 ? in[1] : 0;
    const int64_t background = scored.size() == 3 ? scored[2] - of_.classes : -1;
    if (in.size() != 3 || in[0] != 1 || in[2] < 4 || background < 0 || background > 1 ||
        scored[0] != 1 || scored[1] != boxes || of_.classes < 1 ||
        make_.shape(anchors) != Shape{boxes, 4})
      return c_.Invalid(
          "offsets {}, scores {} and anchors {} for {} classes; [1, n, 4 or more], [1, n, classes "
          "or one more] and [n, 4] are needed",
          ShapeText(in), ShapeText(scored), ShapeText(make_.shape(anchors)), of_.classes);
    TESSERA_ASSIGN(boxes_, Decoded(offsets, anchors));
    TESSERA_ASSIGN(scores_, make_.Part(scores_, 2, background, of_.classes));
    return of_.regular ? Regular() : Fast();
  }

 private:
  // Input |i|, dequantised if it has a scale.
  Result<TensorId> Floats(size_t i) {
    TESSERA_ASSIGN(const TensorId x, c_.InFileOrder(i));
    if (make_.tensor(x).dtype == DType::kFloat32) return x;
    if (make_.tensor(x).quant)
      return make_({.op = Op::kDequantize, .inputs = {x}}, make_.shape(x), DType::kFloat32);
    TESSERA_ASSIGN(const auto* from, c_.In(i));
    return c_.Unsupported("input {} is {}; FLOAT32 and quantised ones are supported", from->Place(),
                          tflite_model::TypeText(from->type));
  }

  // Corners of boxes given as centre and size relative to anchors (y, x, height, width).
  Result<TensorId> Decoded(TensorId offsets, TensorId anchors) {
    TESSERA_ASSIGN(anchors, make_.Reshape(anchors, {1, make_.shape(anchors)[0], 4}));
    TensorId side[4];
    for (size_t k = 0; k < 2; ++k) {
      TESSERA_ASSIGN(const TensorId length, make_.Part(anchors, 2, static_cast<int64_t>(k) + 2, 1));
      TESSERA_ASSIGN(const TensorId start, make_.Part(anchors, 2, static_cast<int64_t>(k), 1));
      TensorId part[2];
      for (size_t p = 0; p < 2; ++p) {
        const size_t at = k + 2 * p;
        TESSERA_ASSIGN(part[p], make_.Part(offsets, 2, static_cast<int64_t>(at), 1));
        TESSERA_ASSIGN(const TensorId scale, make_.Number(offsets, of_.scale[at]));
        TESSERA_ASSIGN(part[p], make_(Op::kDiv, part[p], scale));
      }
      TESSERA_ASSIGN(TensorId centre, make_(Op::kMul, part[0], length));
      TESSERA_ASSIGN(centre, make_(Op::kAdd, centre, start));
      TESSERA_ASSIGN(TensorId reach, make_(Op::kExp, part[1]));
      TESSERA_ASSIGN(const TensorId half, make_.Number(offsets, 0.5f));
      TESSERA_ASSIGN(reach, make_(Op::kMul, reach, half));
      TESSERA_ASSIGN(reach, make_(Op::kMul, reach, length));
      TESSERA_ASSIGN(side[k], make_(Op::kSub, centre, reach));
      TESSERA_ASSIGN(side[k + 2], make_(Op::kAdd, centre, reach));
    }
    return make_.Concat({side[0], side[1], side[2], side[3]}, 2);
  }

  // |scores| that reach the least score; -infinity for the others.
  Result<TensorId> High(TensorId scores) {
    TESSERA_ASSIGN(const TensorId low, make_.Number(scores, of_.low));
    TESSERA_ASSIGN(const TensorId kept, make_(Op::kLessEqual, low, scores));
    return KeptScores(make_, scores, kept);
  }

  Result<PickedBoxes> Picked(TensorId scores, int64_t most) {
    TESSERA_ASSIGN(const TensorId share, make_.Number(scores, of_.share));
    return PickBoxes(make_, boxes_, scores, share, most);
  }

  // Elements of |x| along axis |axis| at the indices |at|.
  Result<TensorId> At(TensorId x, size_t axis, TensorId at) {
    Shape shape = make_.shape(x);
    shape[axis] = make_.shape(at)[0];
    return make_(
        {.op = Op::kGather,
         .inputs = {x, at},
         .attributes = GatherAttributes{GatherAttributes::Form::kSlices, static_cast<int>(axis)}},
        shape);
  }

  // |x|, [boxes, classes, ...]: boxes that are not |used|, [boxes], become zeros, and zeros are
  // appended up to the limits of boxes and classes. The result is one row: [1, most * classes,
  // ...].
  Status FinishRows(TensorId x, TensorId used, size_t index) {
    Shape shape = make_.shape(x);
    Shape beside(shape.size(), 1);
    beside[0] = shape[0];
    TESSERA_ASSIGN(used, make_.Reshape(used, beside));
    TESSERA_ASSIGN(const TensorId zero, make_.Number(x, 0));
    TESSERA_ASSIGN(x, make_({.op = Op::kWhere, .inputs = {x, zero, used}}, shape));
    const int64_t more[] = {of_.most - shape[0], of_.per_box - shape[1]};
    if (more[0] > 0 || more[1] > 0) {
      graph::PadAttributes around{.pads = std::vector<std::array<int64_t, 2>>(shape.size())};
      for (size_t d = 0; d < 2; ++d) {
        around.pads[d][1] = more[d];
        shape[d] += more[d];
      }
      TESSERA_ASSIGN(x, make_({.op = Op::kPad, .inputs = {x}, .attributes = around}, shape));
    }
    Shape row{1, shape[0] * shape[1]};
    row.insert(row.end(), shape.begin() + 2, shape.end());
    TESSERA_ASSIGN(x, make_.Reshape(x, row));
    return make_.Finish(x, index);
  }

  // Makes the operator's results; |boxes| is [n, classes, 4], the others accordingly.
  Status Results(TensorId boxes, TensorId classes, TensorId scores, TensorId used) {
    TESSERA_ASSIGN(TensorId count, make_.As(used, DType::kFloat32));
    TESSERA_ASSIGN(count, ReducedAlong(make_, Op::kReduceSum, count, {0}));
    TESSERA_TRY(make_.Finish(count, 3));
    TESSERA_TRY(FinishRows(scores, used, 2));
    TESSERA_TRY(FinishRows(classes, used, 1));
    return FinishRows(boxes, used, 0);
  }

  // Fast mode: selects by each box's best score; every box keeps its best classes.
  Status Fast() {
    const int64_t each = std::min(of_.per_box, of_.classes);
    TESSERA_ASSIGN(const TopElements top,
                   TopOf(make_, scores_, 2, each, true, DType::kInt64));  // [1, n, each]
    const int64_t n = make_.shape(scores_)[1];
    TESSERA_ASSIGN(TensorId best, make_.Part(top.values, 2, 0, 1));
    TESSERA_ASSIGN(best, make_.Reshape(best, {1, n}));
    TESSERA_ASSIGN(best, High(best));
    TESSERA_ASSIGN(const PickedBoxes picked, Picked(best, of_.most));
    const int64_t count = make_.shape(picked.at)[1];
    TESSERA_ASSIGN(const TensorId at, make_.Reshape(picked.at, {count}));
    TESSERA_ASSIGN(TensorId used, IsPicked(make_, picked.scores));
    TESSERA_ASSIGN(used, make_.Reshape(used, {count}));
    TESSERA_ASSIGN(TensorId boxes, At(boxes_, 1, at));
    TESSERA_ASSIGN(boxes, make_.Reshape(boxes, {count, 1, 4}));
    TESSERA_ASSIGN(boxes, make_({.op = Op::kRepeat, .inputs = {boxes}}, {count, each, 4}));
    TESSERA_ASSIGN(TensorId classes, At(top.indices, 1, at));
    TESSERA_ASSIGN(classes, make_.Reshape(classes, {count, each}));
    TESSERA_ASSIGN(classes, make_.As(classes, DType::kFloat32));
    TESSERA_ASSIGN(TensorId scores, At(top.values, 1, at));
    TESSERA_ASSIGN(scores, make_.Reshape(scores, {count, each}));
    return Results(boxes, classes, scores, used);
  }

  // Regular mode: selects in each class by its scores, then takes the best of all classes.
  Status Regular() {
    const int64_t n = make_.shape(scores_)[1];
    TESSERA_ASSIGN(TensorId scores, make_.Transpose(scores_, {0, 2, 1}));
    TESSERA_ASSIGN(scores, High(scores));
    TESSERA_ASSIGN(const PickedBoxes picked, Picked(scores, of_.per_class));
    const int64_t each = make_.shape(picked.at)[2], all = of_.classes * each;
    TESSERA_ASSIGN(const TensorId row, make_.Reshape(picked.scores, {all}));
    const int64_t most = std::min(of_.most, all);
    TESSERA_ASSIGN(const TopElements top, TopOf(make_, row, 0, most, true, DType::kInt64));
    TESSERA_ASSIGN(const TensorId used, IsPicked(make_, top.values));
    TESSERA_ASSIGN(TensorId at, make_.Reshape(picked.at, {all}));
    TESSERA_ASSIGN(at, At(at, 0, top.indices));
    TESSERA_ASSIGN(TensorId boxes, make_.Reshape(boxes_, {n, 4}));
    TESSERA_ASSIGN(boxes, At(boxes, 0, at));
    TESSERA_ASSIGN(boxes, make_.Reshape(boxes, {most, 1, 4}));
    TESSERA_ASSIGN(const TensorId wide, make_.Wholes({each}, {}));
    TESSERA_ASSIGN(TensorId classes, make_(Op::kDiv, top.indices, wide));
    TESSERA_ASSIGN(classes, make_.As(classes, DType::kFloat32));
    TESSERA_ASSIGN(classes, make_.Reshape(classes, {most, 1}));
    TESSERA_ASSIGN(const TensorId best, make_.Reshape(top.values, {most, 1}));
    return Results(boxes, classes, best, used);
  }

  Converter& c_;
  const DetectionOptions of_;
  Composer make_;
  TensorId boxes_ = -1;   // [1, n, 4]
  TensorId scores_ = -1;  // [1, n, classes]
};

// Inputs: offsets, scores, anchors. Results: boxes, classes, scores, count.
Status FromTflite(Converter& c) {
  if (c.op().outputs.size() != 4) return c.Invalid("{} results, makes 4", c.op().outputs.size());
  for (size_t k = 4; k-- > 0;) {
    c.Select(k);
    if (c.Out().type != tflite_model::TensorType::FLOAT32)
      return c.Unsupported("its result {} is {}; FLOAT32 is supported", c.Out().Place(),
                           tflite_model::TypeText(c.Out().type));
  }
  TESSERA_ASSIGN(const DetectionOptions options, ReadOptions(c));
  return Detection(c, options).Convert();
}

// Input |i|, which must be one constant float.
Result<float> OneFloat(const Converter& c, size_t i) {
  TESSERA_ASSIGN(const auto* from, c.In(i));
  float value = 0;
  if (from->type != tflite_model::TensorType::FLOAT32 || from->data.size() != sizeof(value))
    return c.Unsupported("input {} is not one constant of FLOAT32", from->Place());
  std::memcpy(&value, from->data.data(), sizeof(value));
  return value;
}

// Inputs: boxes [n, 4], scores [n], most boxes, overlap from which a box is dropped, score limit;
// V5 adds sigma. Results: indices, count; V5 has scores between the two.
Status FromSuppression(Converter& c) {
  const bool soft = c.op().inputs.size() == 6;
  if (c.op().outputs.size() != (soft ? 3 : 2))
    return c.Invalid("{} results for {} inputs", c.op().outputs.size(), c.op().inputs.size());
  TESSERA_ASSIGN(TensorId boxes, c.InFileOrder(0));
  TESSERA_ASSIGN(TensorId scores, c.InFileOrder(1));
  TESSERA_ASSIGN(const std::vector<int64_t> most, c.Integers(2));
  TESSERA_ASSIGN(const float share, OneFloat(c, 3));
  TESSERA_ASSIGN(const float low, OneFloat(c, 4));
  if (soft) {
    TESSERA_ASSIGN(const float sigma, OneFloat(c, 5));
    if (sigma != 0) return c.Unsupported("soft suppression, sigma {}; 0 is supported", sigma);
  }
  Composer make(c);
  const Shape of = make.shape(scores);
  if (of.size() != 1 || make.shape(boxes) != Shape{of[0], 4} || most.size() != 1 || most[0] < 1 ||
      most[0] > kMostPicked || make.tensor(boxes).dtype != DType::kFloat32 ||
      make.tensor(scores).dtype != DType::kFloat32)
    return c.Unsupported(
        "boxes {} and scores {}, {} of them; [n, 4] and [n] of FLOAT32, 1 to {} are supported",
        ShapeText(make.shape(boxes)), ShapeText(of), ShapeText(most), kMostPicked);
  TESSERA_ASSIGN(boxes, make.Reshape(boxes, {1, of[0], 4}));
  TESSERA_ASSIGN(boxes, Corners(make, boxes, false));
  TESSERA_ASSIGN(scores, make.Reshape(scores, {1, of[0]}));
  TESSERA_ASSIGN(TensorId bound, make.Number(scores, low));
  TESSERA_ASSIGN(const TensorId above, make(Op::kLess, bound, scores));
  TESSERA_ASSIGN(scores, KeptScores(make, scores, above));
  // TFLite drops a box whose overlap equals the limit: pass the next lower number to PickBoxes.
  TESSERA_ASSIGN(bound, make.Number(scores, std::nextafter(share, -1.0f)));
  TESSERA_ASSIGN(const PickedBoxes picked, PickBoxes(make, boxes, scores, bound, most[0]));
  const int64_t count = make.shape(picked.at)[1];
  TESSERA_ASSIGN(const TensorId used, IsPicked(make, picked.scores));
  // Zeros after the selected boxes, up to the most boxes.
  const auto row = [&](TensorId x) -> Result<TensorId> {
    TESSERA_ASSIGN(TensorId zero, make.Wholes({0}, {}));
    TESSERA_ASSIGN(zero, make.As(zero, make.tensor(x).dtype));
    TESSERA_ASSIGN(x, make({.op = Op::kWhere, .inputs = {x, zero, used}}, make.shape(x)));
    if (count < most[0]) {
      const graph::PadAttributes behind{.pads = {{0, 0}, {0, most[0] - count}}};
      TESSERA_ASSIGN(x, make({.op = Op::kPad, .inputs = {x}, .attributes = behind}, {1, most[0]}));
    }
    return make.Reshape(x, {most[0]});
  };
  TESSERA_ASSIGN(TensorId at, make.As(picked.at, DType::kInt32));
  TESSERA_ASSIGN(at, row(at));
  TESSERA_TRY(make.Finish(at, 0));
  if (soft) {
    TESSERA_ASSIGN(const TensorId best, row(picked.scores));
    TESSERA_TRY(make.Finish(best, 1));
  }
  TESSERA_ASSIGN(TensorId sum, make.As(used, DType::kInt32));
  TESSERA_ASSIGN(sum, ReducedAlong(make, Op::kReduceSum, sum, {1}));
  TESSERA_ASSIGN(sum, make.Reshape(sum, {}));
  return make.Finish(sum, soft ? 2 : 1);
}

constexpr TfliteRow kDetectionRows[] = {
    {"NON_MAX_SUPPRESSION_V4", 5, 5, FromSuppression, 2},
    {"NON_MAX_SUPPRESSION_V5", 6, 6, FromSuppression, 3},
    {"custom:TFLite_Detection_PostProcess", 3, 3, FromTflite, 4}};

}  // namespace

std::span<const TfliteRow> DetectionRows() { return kDetectionRows; }

}  // namespace tessera::ops
