// SPDX-License-Identifier: Apache-2.0
//
// A small artifact with every part. Its kernels are those of kernels.cc.
#ifndef TESSERA_TESTS_RUNTIME_SAMPLE_H_
#define TESSERA_TESTS_RUNTIME_SAMPLE_H_

#include <vector>

#include "runtime/artifact/artifact.h"

namespace tessera::artifact {

// x float32 [1, 4] -> q int8 -> y int8 -> out float32. On the CPU y = q + bias; on the device a
// program computes y from q.
inline Artifact SampleArtifact(const isa::Config& config = {}) {
  Artifact a;
  a.provenance = {"tessera test",
                  "sample.onnx",
                  0x1234,
                  isa::ConfigToJson(config),
                  "--target cpu,device",
                  "host bias:\nvectorize y n\n\n"};
  a.inputs = {{"x", DType::kFloat32, {1, 4}, Affine{0.1, 0}}};
  a.outputs = {{"out", DType::kFloat32, {1, 4}, Affine{0.1, 0}}};
  a.layers = {{"quantize", "quantize", 0, {"q", DType::kInt8, {1, 4}, Affine{0.1, 0}}},
              {"bias", "add", 4, {"y", DType::kInt8, {1, 4}, Affine{0.1, 0}}}};
  a.coverage = {2, 1, 4, 4, {{"quantize", "INP holds int8, the values are float32", 1}}};
  a.devices.push_back({DeviceKind::kAccelerator, config.name, config.Hash()});
  a.constants = {1, 2, 3, 0xfc};
  a.objects = {{"x86-64", {0x7f, 'E', 'L', 'F'}}};
  constexpr BufferHome kArena = BufferHome::kArena;
  a.plans.push_back(
      {"cpu",
       {{256, 256}, {}},
       {{"x", 0, kArena, 0, 16},
        {"q", 0, kArena, 64, 4},
        {"y", 0, kArena, 128, 4},
        {"out", 0, kArena, 192, 16},
        {"bias", 0, BufferHome::kConstants, 0, 4}},
       {0},
       {3},
       {KernelStep{0, "quantize4", 0, {0, 1}, 1}, KernelStep{0, "add_bias4", 1, {1, 4, 2}, 2},
        KernelStep{0, "dequantize4", -1, {2, 3}, 1}},
       {{0, 1, {}}, {1, 2, {}}},
       {{0, false}, {0, false}}});
  // The program writes y twice: dense, and with a gap behind the first two elements.
  const Layout gap{{{1, 2, 0}, {1, 1, 2}}, 0, {16, 1}};
  a.plans.push_back(
      {"device",
       {{256, 512}, {256, 256}},
       {{"x", 0, kArena, 0, 16},
        {"q", 0, kArena, 64, 4},
        {"y", 0, kArena, 128, 4},
        {"out", 0, kArena, 0, 16},
        {"q", 1, kArena, 64, 4},
        {"y", 1, kArena, 128, 4},
        {"y.gap", 1, kArena, 192, 18}},
       {0},
       {3},
       {KernelStep{0, "quantize4", 0, {0, 1}, 1}, TransferStep{1, 4}, ProgramStep{0, {4}, {5, 6}},
        TransferStep{5, 2}, KernelStep{0, "dequantize4", -1, {2, 3}, 1}},
       {{1, 6, gap}},
       {{0, false}, {1, false}}});
  isa::ProgramImage program;
  program.config_hash = config.Hash();
  program.config_name = config.name;
  program.code.resize(2 * isa::kInsnBytes);
  program.source = {{0, 1, 0, "quantize"}, {1, 2, 1, "bias"}};
  program.segments[1] = {64, {9, 8, 7}};
  program.segments[2] = {256, {}};
  a.programs.push_back({1, program});
  return a;
}

}  // namespace tessera::artifact

#endif  // TESSERA_TESTS_RUNTIME_SAMPLE_H_
