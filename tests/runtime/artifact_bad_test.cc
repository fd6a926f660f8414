// SPDX-License-Identifier: Apache-2.0
//
// CheckArtifact: one contradiction a case, each named in the message. Not here: damage to files.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tests/runtime/sample.h"

namespace tessera::artifact {
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
DeviceStep& Run(Artifact& a) { return std::get<DeviceStep>(a.plans[1].steps[1]); }

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
    {"NanScale",
     [](Artifact& a) { a.inputs[0].quant->scale = std::numeric_limits<double>::quiet_NaN(); },
     "x has scale nan"},
    {"ZeroScale", [](Artifact& a) { a.layers[1].output.quant->scale = 0; }, "y has scale 0"},
    {"LongTensorName", [](Artifact& a) { a.inputs[0].name.assign(5000, 'x'); },
     "5000, at most 4096", Code::kOutOfRange},
    {"LongLayerName", [](Artifact& a) { a.layers[0].name.assign(5000, 'x'); }, "layer's name",
     Code::kOutOfRange},
    {"LongOperator", [](Artifact& a) { a.layers[0].op.assign(5000, 'x'); }, "layer's operator",
     Code::kOutOfRange},
    {"LongTool", [](Artifact& a) { a.provenance.tool.assign(5000, 'x'); }, "tool's name",
     Code::kOutOfRange},
    {"LongModel", [](Artifact& a) { a.provenance.model_file.assign(5000, 'x'); }, "model's name",
     Code::kOutOfRange},
    {"LongConfig", [](Artifact& a) { a.provenance.config_json.assign(2 << 20, 'x'); },
     "configuration", Code::kOutOfRange},
    {"LongOptions", [](Artifact& a) { a.provenance.options.assign(2 << 20, 'x'); }, "options",
     Code::kOutOfRange},
    {"HugeArena", [](Artifact& a) { a.arena_bytes = uint64_t{1} << 40; }, "arena has size",
     Code::kOutOfRange},
    {"LongBufferName", [](Artifact& a) { a.buffers[0].name.assign(5000, 'x'); }, "buffer's name",
     Code::kOutOfRange},
    {"BufferPastArena", [](Artifact& a) { a.buffers[5].bytes = 65; },
     "buffer packed at 256 with 65 bytes leaves the 320"},
    {"BufferWraps", [](Artifact& a) { a.buffers[5].offset = ~uint64_t{63}; }, "buffer packed"},
    {"ConstantPastEnd", [](Artifact& a) { a.buffers[4].bytes = 5; }, "leaves the 4 bytes"},
    {"UnalignedBuffer", [](Artifact& a) { a.buffers[1].offset = 32; }, "buffer q begins at 32"},
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
    {"InputOfAnotherSize", [](Artifact& a) { a.buffers[0].bytes = 15; },
     "input x takes 16 bytes of the arena"},
    {"InputInConstants",
     [](Artifact& a) {
       a.constants.resize(16);
       a.buffers[0].place = BufferHome::kConstants;
     },
     "input x takes"},
    {"OutputOfAnotherSize", [](Artifact& a) { a.buffers[3].bytes = 17; },
     "output out takes 16 bytes"},
    {"InputBufferUnknown", [](Artifact& a) { a.plans[0].inputs[0] = 6; },
     "plan cpu names buffer 6 of 6"},
    {"KernelWithoutName", [](Artifact& a) { Kernel(a, 0).symbol.clear(); },
     "kernel without a name"},
    {"LongKernelName", [](Artifact& a) { Kernel(a, 0).symbol.assign(5000, 'x'); }, "kernel's name",
     Code::kOutOfRange},
    {"KernelOfUnknownLayer", [](Artifact& a) { Kernel(a, 0).layer = 2; },
     "kernel quantize4 names layer 2 of 2"},
    {"KernelOfNegativeLayer", [](Artifact& a) { Kernel(a, 0).layer = -2; }, "names layer -2"},
    {"KernelBufferUnknown", [](Artifact& a) { Kernel(a, 0).buffers[1] = 77; },
     "names buffer 77 of 6"},
    {"DeviceWithoutProgram", [](Artifact& a) { a.program.reset(); },
     "plan device has a device step, but there is no program"},
    {"TwoDeviceSteps", [](Artifact& a) { a.plans[1].steps.push_back(Run(a)); }, "2 device steps"},
    {"CopyBufferUnknown", [](Artifact& a) { Run(a).inputs[0].buffer = 8; }, "names buffer 8 of 6"},
    {"CopyPastSegment", [](Artifact& a) { Run(a).inputs[0].offset = 61; },
     "q at 61 with 4 bytes leaves segment 3 of 64"},
    {"CopyWraps", [](Artifact& a) { Run(a).outputs[0].offset = ~uint64_t{0}; }, "leaves segment 4"},
    {"ResultIntoConstant", [](Artifact& a) { Run(a).outputs[0].buffer = 4; },
     "copies a result into constant bias"},
    {"TapOfUnknownLayer", [](Artifact& a) { a.plans[0].taps[0].layer = 2; }, "taps layer 2 of 2"},
    {"LayerTappedTwice", [](Artifact& a) { a.plans[0].taps[1].layer = 0; }, "taps layer 0 twice"},
    {"TapOfAnotherShape",
     [](Artifact& a) {
       a.plans[0].taps[0].layout.shape = {1, 3};
     },
     "the tap of q has another shape"},
    {"TapOfAnotherType", [](Artifact& a) { a.plans[0].taps[0].layout.dtype = DType::kInt32; },
     "the tap of q has another shape"},
    {"TapBufferUnknown", [](Artifact& a) { a.plans[0].taps[0].buffer = 6; }, "names buffer 6"},
    {"TapPastBuffer", [](Artifact& a) { a.plans[0].taps[0].offset = 1; },
     "the tap of q leaves buffer q of 4 bytes"},
    {"TapPastSegment", [](Artifact& a) { a.plans[1].taps[0].offset = 15; },
     "the tap of y at 15 with 18 bytes leaves segment 2"},
    {"TapWithoutDevice", [](Artifact& a) { a.plans[0].taps[0].on_device = true; },
     "on the device, but no step runs there"},
    {"TapWithoutStride", [](Artifact& a) { a.plans[1].taps[0].layout.strides.pop_back(); },
     "2 dimensions has 1 strides"},
    {"TapOfUnknownAxis", [](Artifact& a) { a.plans[1].taps[0].layout.dims[0].dim = 2; },
     "layout dimension 0"},
    {"TapDividesByZero", [](Artifact& a) { a.plans[1].taps[0].layout.dims[0].div = 0; },
     "layout dimension 0 is 1 / 0"},
    {"TapNegativeModulus", [](Artifact& a) { a.plans[1].taps[0].layout.dims[1].mod = -1; }, "% -1"},
    {"TapNegativeStride", [](Artifact& a) { a.plans[1].taps[0].layout.strides[0] = -16; },
     "with stride -16"},
    {"TapTooFar", [](Artifact& a) { a.plans[1].taps[0].layout.strides[0] = int64_t{1} << 62; },
     "a layout reaches past", Code::kOutOfRange},
    {"BadProgram", [](Artifact& a) { a.program->code.pop_back(); }, "not whole instructions"},
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
}  // namespace tessera::artifact
