// SPDX-License-Identifier: Apache-2.0
//
// A small artifact with every part in it. Its kernels are those of kernels.cc.
#ifndef TESSERA_TESTS_RUNTIME_SAMPLE_H_
#define TESSERA_TESTS_RUNTIME_SAMPLE_H_

#include <vector>

#include "runtime/artifact/artifact.h"

namespace tessera::artifact {

// x float32 [1, 4] -> q int8 -> y int8 -> out float32. On the CPU y = q + bias; on the device y is
// what the program leaves in the output segment.
inline Artifact SampleArtifact(const isa::Config& config = {}) {
  Artifact a;
  a.provenance = {"tessera test", "sample.onnx", 0x1234, isa::ConfigToJson(config),
                  "--target cpu,device"};
  a.inputs = {{"x", DType::kFloat32, {1, 4}, Affine{0.1, 0}}};
  a.outputs = {{"out", DType::kFloat32, {1, 4}, Affine{0.1, 0}}};
  a.layers = {{"quantize", "quantize", 0, {"q", DType::kInt8, {1, 4}, Affine{0.1, 0}}},
              {"bias", "add", 4, {"y", DType::kInt8, {1, 4}, Affine{0.1, 0}}}};
  a.arena_bytes = 320;
  a.constants = {1, 2, 3, 0xfc};
  a.buffers = {{"x", BufferHome::kArena, 0, 16},       {"q", BufferHome::kArena, 64, 4},
               {"y", BufferHome::kArena, 128, 4},      {"out", BufferHome::kArena, 192, 16},
               {"bias", BufferHome::kConstants, 0, 4}, {"packed", BufferHome::kArena, 256, 64}};
  a.objects = {{"x86-64", {0x7f, 'E', 'L', 'F'}}};
  const PhysicalLayout dense{DType::kInt8, {1, 4}, {}, {}};
  const PhysicalLayout reversed{DType::kInt8, {1, 4}, {{1, 2, 0}, {1, 1, 2}}, {16, 1}};
  a.plans.push_back({"cpu",
                     {0},
                     {3},
                     {KernelStep{"quantize4", 0, {0, 1}}, KernelStep{"add_bias4", 1, {1, 4, 2}},
                      KernelStep{"dequantize4", -1, {2, 3}}},
                     {{0, false, 1, {}, 0, dense}, {1, false, 2, {}, 0, dense}}});
  DeviceStep run{{{1, isa::Segment::kInput, 32}}, {{2, isa::Segment::kOutput, 0}}};
  a.plans.push_back(
      {"device",
       {0},
       {3},
       {KernelStep{"quantize4", 0, {0, 1}}, run, KernelStep{"dequantize4", -1, {2, 3}}},
       {{1, true, 0, isa::Segment::kArena, 8, reversed}}});
  isa::ProgramImage program;
  program.config_hash = config.Hash();
  program.config_name = config.name;
  program.code.resize(2 * isa::kInsnBytes);
  program.source = {{0, 1, 0, "quantize"}, {1, 2, 1, "bias"}};
  program.segments[1] = {64, {9, 8, 7}};
  program.segments[2] = {32, {}};
  program.segments[3] = {64, {}};
  program.segments[4] = {4, {}};
  a.program = program;
  return a;
}

}  // namespace tessera::artifact

#endif  // TESSERA_TESTS_RUNTIME_SAMPLE_H_
