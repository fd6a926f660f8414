// SPDX-License-Identifier: Apache-2.0
//
// The small artifact with code for the host, and values for it.
#ifndef TESSERA_TESTS_RUNTIME_SAMPLE_CODE_H_
#define TESSERA_TESTS_RUNTIME_SAMPLE_CODE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "base/file.h"
#include "runtime/tensor/tensor.h"
#include "tests/runtime/sample.h"

namespace tessera {

inline std::shared_ptr<artifact::Artifact> Sample() {
  auto a = std::make_shared<artifact::Artifact>(artifact::SampleArtifact());
  const auto object = ReadFile(TEST_OBJECTS "/kernels.o");
  EXPECT_TRUE(object) << object.error().message;
  a->objects[0].elf = *object;
  return a;
}

inline HostTensor Floats(std::vector<int64_t> shape, const std::vector<float>& values) {
  HostTensor t = HostTensor::Zeros(DType::kFloat32, std::move(shape));
  std::copy(values.begin(), values.end(), t.as<float>().begin());
  return t;
}

}  // namespace tessera

#endif  // TESSERA_TESTS_RUNTIME_SAMPLE_CODE_H_
