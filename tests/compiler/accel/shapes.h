// SPDX-License-Identifier: Apache-2.0
//
// One region of every class of shape that the compiler must take to the accelerator.
#ifndef TESSERA_TESTS_COMPILER_ACCEL_SHAPES_H_
#define TESSERA_TESTS_COMPILER_ACCEL_SHAPES_H_

#include <functional>
#include <string>
#include <vector>

#include "tests/compiler/accel/net.h"

namespace tessera::test {

struct ShapeCase {
  std::string name;
  std::function<graph::TensorId(Net&)> build;
};

const std::vector<ShapeCase>& ShapeCases();

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_ACCEL_SHAPES_H_
