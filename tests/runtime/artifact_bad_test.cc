// SPDX-License-Identifier: Apache-2.0
//
// CheckArtifact: one contradiction a case, each named in the message. Not here: damage to files.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tests/runtime/sample.h"

namespace tessera::artifact::artifact_bad_test {
namespace {

struct Case {
  const char* name;
  std::function<void(Artifact&)> spoil;
  const char* message;
  Code code = Code::kInvalidArgument;
};

KernelStep& Kernel(Artifact& a, size_t step) {
  return std::get<KernelStep>(a.plans[0].steps[step]);
}
TransferStep& Transfer(Artifact& a) { return std::get<TransferStep>(a.plans[1].steps[1]); }
ProgramStep& Run(Artifact& a) { return std::get<ProgramStep>(a.plans[1].steps[2]); }
PlanBuffer& Cpu(Artifact& a, size_t buffer) { return a.plans[0].buffers[buffer]; }
PlanBuffer& Dev(Artifact& a, size_t buffer) { return a.plans[1].buffers[buffer]; }
Tap& Gap(Artifact& a) { return a.plans[1].taps[0]; }

const Case kCases[] = {
    {"NegativeExtent", [](Artifact& a) { a.inputs[0].shape[1] = -4; },
     "tensor x has an extent of -4"},
    {"ZeroExtent", [](Artifact& a) { a.outputs[0].shape[1] = 0; }, "tensor out has an extent of 0"},
    {"TooManyElements",
     [](Artifact& a) {
       a.layers[0].output.shape = {1 << 20, 1 << 20};
     },
     "more than", Code::kOutOfRange},
    {"TooManyAxes", [](Artifact& a) { a.layers[0].output.shape.assign(9, 1); },
     "rank of q has size 9", Code::kOutOfRange},
    {"StateOfOtherBytes",
     [](Artifact& a) {
       a.states = {{{"s", DType::kInt8, {1, 4}, {}}, {1, 2, 3}}};
     },
     "state s begins with 3 bytes, its shape takes 4"},
    {"StateWithoutABuffer",
     [](Artifact& a) {
       a.states = {{{"s", DType::kInt8, {1, 4}, {}}, {1, 2, 3, 4}}};
     },
     "plan cpu has 1 buffers for 2 inputs"},
    {"NanScale",
     [](Artifact& a) { a.inputs[0].quant->scale = std::numeric_limits<double>::quiet_NaN(); },
     "x has scale nan"},
    {"ZeroScale", [](Artifact& a) { a.layers[1].output.quant->scale = 0; }, "y has scale 0"},
    {"LongTensorName", [](Artifact& a) { a.inputs[0].name.assign(5000, 'x'); },
     "5000, at most 4096", Code::kOutOfRange},
    {"LongLayerName", [](Artifact& a) { a.layers[0].name.assign(5000, 'x'); }, "layer's name",
     Code::kOutOfRange},
    {"LongAlgorithm", [](Artifact& a) { a.layers[0].algorithm.assign(5000, 'x'); },
     "layer's algorithm", Code::kOutOfRange},
    {"NegativeError", [](Artifact& a) { a.layers[0].error = -1; }, "may differ by -1"},
    {"LongOperator", [](Artifact& a) { a.layers[0].op.assign(5000, 'x'); }, "layer's operator",
     Code::kOutOfRange},
    {"LongTool", [](Artifact& a) { a.provenance.tool.assign(5000, 'x'); }, "tool's name",
     Code::kOutOfRange},
    {"LongModel", [](Artifact& a) { a.provenance.model_file.assign(5000, 'x'); }, "model's name",
     Code::kOutOfRange},
    {"LongConfig", [](Artifact& a) { a.provenance.config_json.assign(2 << 20, 'x'); },
     "configuration", Code::kOutOfRange},
    {"CoverageOfMore", [](Artifact& a) { a.coverage.accelerated = 3; },
     "the accelerator runs more of it than there is", Code::kInvalidArgument},
    {"LongReason", [](Artifact& a) { a.coverage.left[0].why.assign(5000, 'x'); },
     "a reason for the host", Code::kOutOfRange},
    {"LongOptions", [](Artifact& a) { a.provenance.options.assign(2 << 20, 'x'); }, "options",
     Code::kOutOfRange},
    {"HugeArena", [](Artifact& a) { a.plans[0].arenas[0].bytes = uint64_t{1} << 40; },
     "arena has size", Code::kOutOfRange},
    {"ArenaMissing", [](Artifact& a) { a.plans[1].arenas.pop_back(); },
     "plan device has 1 arenas for 2 devices"},
    {"NoDevices", [](Artifact& a) { a.devices.clear(); }, "not even the host"},
    {"TwoHosts", [](Artifact& a) { a.devices[1].kind = DeviceKind::kHost; },
     "device 0 is the host, and no other"},
    {"HostIsNoAccelerator", [](Artifact& a) { a.devices[0].kind = DeviceKind::kAccelerator; },
     "device 0 is host"},
    {"TooManyDevices", [](Artifact& a) { a.devices.resize(17, a.devices[1]); },
     "table of devices has size 17", Code::kOutOfRange},
    {"LongDeviceName", [](Artifact& a) { a.devices[1].name.assign(5000, 'x'); }, "device's name",
     Code::kOutOfRange},
    {"ProgramOfTheHost", [](Artifact& a) { a.programs[0].device = 0; },
     "program 0 is for device 0 of 2"},
    {"ProgramOfUnknownDevice", [](Artifact& a) { a.programs[0].device = 2; },
     "program 0 is for device 2 of 2"},
    {"ProgramOfAnotherConfiguration", [](Artifact& a) { a.devices[1].config_hash ^= 1; },
     "program 0 was made for configuration"},
    {"ProgramWithDataInTheArena", [](Artifact& a) { a.programs[0].image.segments[2].data = {1}; },
     "has data in the arena"},
    {"LongBufferName", [](Artifact& a) { Cpu(a, 0).name.assign(5000, 'x'); }, "buffer's name",
     Code::kOutOfRange},
    {"BufferPastArena", [](Artifact& a) { Cpu(a, 3).bytes = 65; },
     "buffer out at 192 with 65 bytes leaves the 256"},
    {"BufferPastTheDevicesArena", [](Artifact& a) { Dev(a, 6).bytes = 65; },
     "buffer y.gap at 192 with 65 bytes leaves the 256"},
    {"BufferWraps", [](Artifact& a) { Cpu(a, 3).offset = ~uint64_t{63}; }, "buffer out"},
    {"BufferOfUnknownDevice", [](Artifact& a) { Dev(a, 6).device = 2; },
     "y.gap is on device 2 of 2"},
    {"ConstantPastEnd", [](Artifact& a) { Cpu(a, 4).bytes = 5; }, "leaves the 4 bytes"},
    {"ConstantOfADevice", [](Artifact& a) { Dev(a, 6).home = BufferHome::kConstants; },
     "y.gap is a constant of device 1"},
    {"UnalignedBuffer", [](Artifact& a) { Cpu(a, 1).offset = 32; }, "buffer q begins at 32"},
    {"LongLevel", [](Artifact& a) { a.objects[0].level.assign(5000, 'x'); }, "CPU level",
     Code::kOutOfRange},
    {"TwoObjectsOfALevel", [](Artifact& a) { a.objects.push_back(a.objects[0]); },
     "two host objects for x86-64"},
    {"TwoPlansOfAName", [](Artifact& a) { a.plans[1].name = "cpu"; }, "two plans cpu"},
    {"LongPlanName", [](Artifact& a) { a.plans[1].name.assign(5000, 'x'); }, "plan's name",
     Code::kOutOfRange},
    {"InputWithoutBuffer", [](Artifact& a) { a.plans[0].inputs.clear(); },
     "plan cpu has 0 buffers for 1 inputs"},
    {"OutputWithoutBuffer", [](Artifact& a) { a.plans[0].outputs.clear(); },
     "plan cpu has 0 buffers for 1 outputs"},
    {"InputOfAnotherSize", [](Artifact& a) { Cpu(a, 0).bytes = 15; },
     "input x takes 16 bytes of the host's arena"},
    {"InputInConstants",
     [](Artifact& a) {
       a.constants.resize(16);
       Cpu(a, 0).home = BufferHome::kConstants;
     },
     "input x takes"},
    {"OutputOfAnotherSize", [](Artifact& a) { Cpu(a, 3).bytes = 17; }, "output out takes 16 bytes"},
    {"InputBufferUnknown", [](Artifact& a) { a.plans[0].inputs[0] = 6; },
     "plan cpu names buffer 6 of 5"},
    {"KernelWithoutName", [](Artifact& a) { Kernel(a, 0).symbol.clear(); },
     "kernel without a name"},
    {"LongKernelName", [](Artifact& a) { Kernel(a, 0).symbol.assign(5000, 'x'); }, "kernel's name",
     Code::kOutOfRange},
    {"KernelOfUnknownLayer", [](Artifact& a) { Kernel(a, 0).layer = 2; },
     "kernel quantize4 names layer 2 of 2"},
    {"KernelOfNegativeLayer", [](Artifact& a) { Kernel(a, 0).layer = -2; }, "names layer -2"},
    {"KernelBufferUnknown", [](Artifact& a) { Kernel(a, 0).buffers[1] = 77; },
     "names buffer 77 of 5"},
    {"KernelWithoutResult", [](Artifact& a) { Kernel(a, 0).result = 2; },
     "kernel quantize4 writes buffer 2 of 2"},
    {"KernelWritesConstant", [](Artifact& a) { Kernel(a, 1).result = 1; },
     "plan cpu writes constant bias"},
    {"SourceForAnAccelerator",
     [](Artifact& a) {
       a.sources = {{1, "", {}}};
     },
     "a source is for device 1, which builds none"},
    {"TwoSourcesForADevice",
     [](Artifact& a) {
       a.devices.push_back({DeviceKind::kOpenCl, "opencl", 0});
       for (ExecutionPlan& plan : a.plans) plan.arenas.resize(3);
       a.sources = {{2, "", {}}, {2, "", {}}};
     },
     "there are two sources for device 2"},
    {"SourceKernelWithoutThreads",
     [](Artifact& a) {
       a.devices.push_back({DeviceKind::kOpenCl, "opencl", 0});
       for (ExecutionPlan& plan : a.plans) plan.arenas.resize(3);
       a.sources = {{2, "", {{"f", {1, 1, 1}, {8, 0, 1}}}}};
     },
     "kernel f has no threads"},
    {"KernelThatIsInNoSource",
     [](Artifact& a) {
       a.devices.push_back({DeviceKind::kOpenCl, "opencl", 0});
       for (ExecutionPlan& plan : a.plans) plan.arenas.resize(3);
       Kernel(a, 0).device = 2;
     },
     "kernel quantize4 is not in the source for device 2"},
    {"ProgramForOpenCl",
     [](Artifact& a) {
       a.devices.push_back({DeviceKind::kOpenCl, "opencl", a.devices[1].config_hash});
       for (ExecutionPlan& plan : a.plans) plan.arenas.resize(3);
       a.programs[0].device = 2;
     },
     "program 0 is for device 2, which runs kernels"},
    {"KernelOfAnAccelerator", [](Artifact& a) { Kernel(a, 0).device = 1; },
     "kernel quantize4 is for device 1, which runs programs"},
    {"KernelOfUnknownDevice", [](Artifact& a) { Kernel(a, 0).device = 2; },
     "quantize4 is on device 2 of 2"},
    {"KernelOnDeviceMemory",
     [](Artifact& a) { std::get<KernelStep>(a.plans[1].steps[0]).buffers[1] = 4; },
     "quantize4 runs on device 0, its buffer q is on device 1"},
    {"TransferOfUnknownBuffer", [](Artifact& a) { Transfer(a).from = 8; }, "names buffer 8 of 7"},
    {"TransferToUnknownBuffer", [](Artifact& a) { Transfer(a).to = 8; }, "names buffer 8 of 7"},
    {"TransferOfAnotherSize", [](Artifact& a) { Transfer(a).from = 0; },
     "transfers x (16 bytes, device 0) to q (4 bytes, device 1)"},
    {"TransferOnOneDevice", [](Artifact& a) { Transfer(a).to = 2; },
     "transfers q (4 bytes, device 0) to y (4 bytes, device 0)"},
    {"UnknownProgram", [](Artifact& a) { Run(a).program = 1; }, "plan device runs program 1 of 1"},
    {"ProgramArenaTooLarge", [](Artifact& a) { a.programs[0].image.segments[2].size = 257; },
     "program 0 wants an arena of 257 bytes, device 1 has one of 256"},
    {"ProgramReadsHostMemory", [](Artifact& a) { Run(a).reads[0] = 1; },
     "program 0 runs on device 1, its buffer q is on device 0"},
    {"ProgramWritesHostMemory", [](Artifact& a) { Run(a).writes[0] = 2; },
     "program 0 runs on device 1, its buffer y is on device 0"},
    {"ProgramReadsUnknownBuffer", [](Artifact& a) { Run(a).reads[0] = 7; }, "names buffer 7 of 7"},
    {"TapOfUnknownLayer", [](Artifact& a) { a.plans[0].taps[0].layer = 2; }, "taps layer 2 of 2"},
    {"LayerTappedTwice", [](Artifact& a) { a.plans[0].taps[1].layer = 0; }, "taps layer 0 twice"},
    {"TapBufferUnknown", [](Artifact& a) { a.plans[0].taps[0].buffer = 6; }, "names buffer 6"},
    {"TapPastBuffer", [](Artifact& a) { Dev(a, 6).bytes = 17; },
     "the tap of y has 18 bytes, buffer y.gap has 17"},
    {"TapWithoutStride", [](Artifact& a) { Gap(a).layout.strides.pop_back(); },
     "2 dimensions has 1 strides"},
    {"TapOfUnknownAxis", [](Artifact& a) { Gap(a).layout.dims[0].dim = 2; }, "layout dimension 0"},
    {"TapOfNegativeAxis", [](Artifact& a) { Gap(a).layout.dims[0].dim = -1; },
     "layout dimension 0 is -1"},
    {"TapDividesByZero", [](Artifact& a) { Gap(a).layout.dims[0].div = 0; },
     "layout dimension 0 is 1 / 0"},
    {"TapNegativeModulus", [](Artifact& a) { Gap(a).layout.dims[1].mod = -1; }, "% -1"},
    {"TapNegativeStride", [](Artifact& a) { Gap(a).layout.strides[0] = -16; }, "with stride -16"},
    {"TapWhoseElementsOverlap", [](Artifact& a) { Gap(a).layout.strides[0] = 1; },
     "elements would share places; a stride of 2 or more keeps them apart"},
    {"TapTooFar", [](Artifact& a) { Gap(a).layout.strides[0] = int64_t{1} << 62; },
     "a layout reaches past", Code::kOutOfRange},
    {"TapOfTooManyDimensions",
     [](Artifact& a) {
       Gap(a).layout = {std::vector<LayoutDim>(17, LayoutDim{1, 1, 1}), 0, {}};
     },
     "dimensions of a layout has size 17", Code::kOutOfRange},
    {"LayerWithoutPlace", [](Artifact& a) { a.plans[1].layers.pop_back(); },
     "plan device places 1 layers of 2"},
    {"LayerOnUnknownDevice", [](Artifact& a) { a.plans[1].layers[0].device = 2; },
     "a layer is on device 2 of 2"},
    {"BadProgram", [](Artifact& a) { a.programs[0].image.code.pop_back(); },
     "not whole instructions"},
};

class ArtifactBad : public ::testing::TestWithParam<Case> {};

TEST_P(ArtifactBad, IsRefusedWithTheReason) {
  Artifact a = SampleArtifact();
  ASSERT_TRUE(CheckArtifact(a)) << CheckArtifact(a).error().message;
  GetParam().spoil(a);
  const Status status = CheckArtifact(a);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find(GetParam().message), std::string::npos)
      << status.error().message;
  EXPECT_EQ(status.error().code, GetParam().code) << status.error().message;
}
INSTANTIATE_TEST_SUITE_P(All, ArtifactBad, ::testing::ValuesIn(kCases),
                         [](const auto& i) { return std::string(i.param.name); });

}  // namespace
}  // namespace tessera::artifact::artifact_bad_test
