// SPDX-License-Identifier: Apache-2.0
//
// Every diagnostic of the TFLite importer about one operator: a good model, one thing spoilt, the
// message that names it. Not here: files, edges and scales (tflite_bad_test.cc).
#include <cmath>

#include "tests/compiler/import/bad_tflite.h"

namespace tessera::tflite_bad_ops_test {
namespace {

constexpr Code kInvalid = Code::kInvalidArgument;
using Fused = tfl::ActivationFunctionType;

void Recode(TfliteBuilder& b, GoodOp op, T::Builtin code) {
  b.code(op).builtin_code = code;
  b.code(op).deprecated_builtin_code = static_cast<int8_t>(code);
}
auto& ConvOf(TfliteBuilder& b) { return *b.op(kConv).builtin_options.AsConv2DOptions(); }
auto& PoolOf(TfliteBuilder& b, GoodOp op) { return *b.op(op).builtin_options.AsPool2DOptions(); }
auto& DenseOf(TfliteBuilder& b) { return *b.op(kDense).builtin_options.AsFullyConnectedOptions(); }

// A tensor's shape and as many bytes.
template <typename V>
void Refill(TfliteBuilder& b, const std::string& name, const T::Dims& shape,
            const std::vector<V>& values) {
  b.tensor(name).shape = shape;
  b.SetData(name, values);
}

const TfliteCase kCases[] = {
    // Contractions (tflite_conv.cc).
    {"WeightsOfInt16",
     [](auto& b) {
       b.tensor("cw").type = T::Type::INT16;
       b.SetData("cw", T::Count<int16_t>(288));
     },
     "operator 0 (CONV_2D): weights tensor 1 'cw' are INT16; INT8 is supported"},
    {"WeightsOfInt4", [](auto& b) { b.tensor("cw").type = T::Type::INT4; }, "'cw' are INT4"},
    {"ComputedWeights", [](auto& b) { b.tensor("cw").buffer = 0; },
     "weights tensor 1 'cw' are not a constant"},
    {"OmittedWeights", [](auto& b) { b.op(kConv).inputs[1] = -1; }, "input 1 is missing", kInvalid},
    {"WeightsOfTwoAxes",
     [](auto& b) {
       b.tensor("cw").shape = {72, 4};
     },
     "weights tensor 1 'cw' have shape [72, 4], 4 axes are needed", kInvalid},
    {"WeightZeroPoint", [](auto& b) { b.quant("cw").zero_point[3] = 200; },
     "weights tensor 1 'cw' have zero point 200", kInvalid},
    {"InputOfTwoAxes",
     [](auto& b) {
       b.tensor("x").shape = {36, 4};
     },
     "input tensor 0 'x' has shape [36, 4], four axes are needed", kInvalid},
    {"ChannelsDoNotDivide",
     [](auto& b) {
       Refill(b, "cw", {8, 3, 3, 3}, T::Count<int8_t>(216));
     },
     "operator 0 (CONV_2D): 4 input channels do not divide into weights [8, 3, 3, 3]", kInvalid},
    {"GroupsDoNotDivide",
     [](auto& b) {
       Refill(b, "cw", {7, 3, 3, 2}, T::Count<int8_t>(126));
       b.SetQuant("cw", {1}, {0}, 0);
     },
     "4 input channels do not divide into weights [7, 3, 3, 2]", kInvalid},
    {"DepthwiseFirstExtent",
     [](auto& b) {
       Refill(b, "dw", {2, 3, 3, 16}, T::Count<int8_t>(288));
     },
     "operator 1 (DEPTHWISE_CONV_2D): weights tensor 4 'dw' have shape [2, 3, 3, 16], the first",
     kInvalid},
    {"DepthwiseMultiplier",
     [](auto& b) {
       b.op(kDepthwise).builtin_options.AsDepthwiseConv2DOptions()->depth_multiplier = 3;
     },
     "depth multiplier 3 of 8 channels, weights tensor 4 'dw' have shape [1, 3, 3, 16]", kInvalid},
    {"DepthwiseChannels",
     [](auto& b) {
       b.op(kDepthwise).builtin_options.AsDepthwiseConv2DOptions()->depth_multiplier = 0;
       Refill(b, "dw", {1, 3, 3, 12}, T::Count<int8_t>(108));
     },
     "8 input channels do not divide into weights [1, 3, 3, 12]", kInvalid},
    {"DepthwiseScaleAxis",
     [](auto& b) { b.SetQuant("dw", std::vector<float>(16, 1), std::vector<int64_t>(16, 0), 0); },
     "tensor 4 'dw' has its scales along axis 0, its channels are along axis 3", kInvalid},
    {"BiasOfInt64",
     [](auto& b) {
       b.tensor("cb").type = T::Type::INT64;
       b.SetData("cb", T::Count<int64_t>(8));
     },
     "bias tensor 2 'cb' is INT64; a constant of INT32 is supported"},
    {"ComputedBias", [](auto& b) { b.tensor("cb").buffer = 0; },
     "bias tensor 2 'cb' is INT32 and not constant"},
    {"BiasCount", [](auto& b) { Refill(b, "cb", {7}, T::Count<int32_t>(7)); },
     "bias tensor 2 'cb' has 7 values for 8 channels", kInvalid},
    {"BiasZeroPoint", [](auto& b) { b.quant("cb").zero_point[1] = 4; },
     "bias tensor 2 'cb' has a zero point"},
    {"BiasScale", [](auto& b) { b.quant("fb").scale[0] = 0.5f; },
     "bias tensor 20 'fb' has scale 0.5", kInvalid},
    {"BiasScaleCount",
     [](auto& b) {
       b.SetQuant("cb", {1, 1}, {0, 0}, 0);
     },
     "tensor 2 'cb' has 2 scales, one or 8 are needed", kInvalid},
    {"Activation", [](auto& b) { ConvOf(b).fused_activation_function = Fused::TANH; },
     "operator 0 (CONV_2D): fused activation TANH is not supported (supported: NONE RELU"},
    {"UnknownActivation",
     [](auto& b) { ConvOf(b).fused_activation_function = static_cast<Fused>(99); },
     "fused activation 99 is not supported"},
    {"BoundOverflows", [](auto& b) { b.quant("conv").scale[0] = 1e-30f; },
     "its result tensor 3 'conv': bound 6 of RELU6 does not fit int32 in steps of", kInvalid},
    {"WeightsFormat", [](auto& b) { DenseOf(b).weights_format = 1; },
     "operator 10 (FULLY_CONNECTED): weights format 1; weights in row-major order (0)"},
    {"RowsDoNotDivide",
     [](auto& b) {
       Refill(b, "fw", {5, 15}, T::Count<int8_t>(75));
     },
     "'reshape' of shape [2, 16] does not divide into rows of 15", kInvalid},
    {"KeptRowsDoNotDivide",
     [](auto& b) {
       DenseOf(b).keep_num_dims = true;
       Refill(b, "fw", {5, 8}, T::Count<int8_t>(40));
     },
     "'reshape' of shape [2, 16] does not divide into rows of 8", kInvalid},
    {"KeptShape",
     [](auto& b) {
       b.Constant("w2", {3, 4}, T::Type::INT8, T::Count<int8_t>(12), {1});
       b.Int8("kept", {36, 3}, 1, 0);
       tfl::FullyConnectedOptionsT options;
       options.keep_num_dims = true;
       b.Op(T::Builtin::FULLY_CONNECTED, {"x", "w2"}, {"kept"}, options);
     },
     "operator 13 (FULLY_CONNECTED): its result tensor 25 'kept' has shape [36, 3], the inputs "
     "make [1, 6, 6, 3]",
     kInvalid},
    {"DenseScaleAxis",
     [](auto& b) {
       b.SetQuant("fw", {1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}, 1);
     },
     "'fw' has its scales along axis 1, its channels are along axis 0", kInvalid},
    // Windows (tflite_pool.cc).
    {"ZeroStride", [](auto& b) { ConvOf(b).stride_w = 0; },
     "operator 0 (CONV_2D): kernel 3, stride 0 or dilation 1 is not 1 to 65536", kInvalid},
    {"NegativeDilation", [](auto& b) { ConvOf(b).dilation_h_factor = -1; },
     "kernel 3, stride 2 or dilation -1 is not", kInvalid},
    {"HugeDilation", [](auto& b) { ConvOf(b).dilation_w_factor = 2147483647; },
     "dilation 2147483647 is not 1 to 65536", kInvalid},
    {"ZeroKernel", [](auto& b) { PoolOf(b, kMax).filter_height = 0; },
     "operator 4 (MAX_POOL_2D): kernel 0", kInvalid},
    {"UnknownPadding", [](auto& b) { ConvOf(b).padding = static_cast<tfl::Padding>(2); },
     "padding 2; SAME (0) and VALID (1) are supported", kInvalid},
    {"WindowDoesNotFit", [](auto& b) { PoolOf(b, kMax).filter_width = 5; },
     "operator 4 (MAX_POOL_2D): a window of 2 x 5 does not fit an image of 4 x 4", kInvalid},
    {"HugeWindow",
     [](auto& b) {
       PoolOf(b, kMax).padding = tfl::Padding::SAME;
       PoolOf(b, kMax).filter_width = PoolOf(b, kMax).filter_height = 300;
     },
     "a window of 300 x 300, at most 65536 elements are supported"},
    {"MeanAxisFar", [](auto& b) { Refill(b, "axes", {1}, std::vector<int32_t>{4}); },
     "operator 8 (MEAN): axis 4 of tensor 14 'transpose' with shape [1, 2, 2, 32]", kInvalid},
    {"MeanShape", [](auto& b) { Refill(b, "axes", {1}, std::vector<int32_t>{2}); },
     "its result tensor 16 'mean' has shape [1, 32], the inputs make [1, 2, 32]", kInvalid},

    // Element by element (tflite_elementwise.cc).
    {"TwoConstants", [](auto& b) { b.op(kAdd).inputs[0] = b.Find("k"); },
     "operator 2 (ADD): its result tensor 7 'add' has shape [1, 3, 3, 16], the inputs make [16]",
     kInvalid},
    {"TwoWholeConstants",
     [](auto& b) {
       Refill(b, "k", {1, 3, 3, 16}, T::Count<int8_t>(144));
       b.op(kAdd).inputs[0] = b.Find("k");
     },
     "operator 2 (ADD): all its inputs are constants"},
    {"ConstantOfAnotherType",
     [](auto& b) {
       b.Constant("i", {16}, T::Type::INT32, T::Count<int32_t>(16));
       b.op(kAdd).inputs[1] = b.Find("i");
     },
     "input tensor 24 'i' is INT32; INT8 is supported"},
    {"ConstantDoesNotRepeat", [](auto& b) { Refill(b, "k", {3}, T::Count<int8_t>(3)); },
     "inputs tensor 5 'depthwise' and tensor 6 'k' of shapes [1, 3, 3, 16] and [3] do not repeat "
     "to "
     "one another",
     kInvalid},
    {"ConstantOfMoreAxes",
     [](auto& b) {
       Refill(b, "k", {1, 1, 1, 1, 16}, T::Count<int8_t>(16));
     },
     "has shape [1, 3, 3, 16], the inputs make [1, 1, 3, 3, 16]", kInvalid},
    {"ConstantWithoutScale", [](auto& b) { b.tensor("k").quantization.reset(); },
     "operator 2 (ADD): tensor 6 'k' has no scale", kInvalid},
    {"BroadcastActivation", [](auto& b) { b.op(kAdd).inputs[1] = b.Find("conv"); },
     "of shapes [1, 3, 3, 16] and [1, 3, 3, 8] do not repeat to one another", kInvalid},
    {"MulActivation",
     [](auto& b) {
       Recode(b, kAdd, T::Builtin::MUL);
       b.op(kAdd).builtin_options.Set(tfl::MulOptionsT{});
       b.op(kAdd).builtin_options.AsMulOptions()->fused_activation_function = Fused::SIGN_BIT;
     },
     "operator 2 (MUL): fused activation SIGN_BIT"},
    {"SoftmaxScale", [](auto& b) { b.quant("softmax").scale[0] = 0.01f; },
     "operator 11 (SOFTMAX): its result tensor 22 'softmax' has scale 0.00999"},
    {"SoftmaxZeroPoint", [](auto& b) { b.quant("softmax").zero_point[0] = 0; },
     "and zero point 0; 1/256 and -128 are supported"},
    {"SoftmaxBeta", [](auto& b) { b.op(kSoftmax).builtin_options.AsSoftmaxOptions()->beta = 0; },
     "beta 0; a finite number above 0 is supported"},
    {"SoftmaxBetaNan",
     [](auto& b) { b.op(kSoftmax).builtin_options.AsSoftmaxOptions()->beta = std::nanf(""); },
     "beta nan"},
    {"SoftmaxShape",
     [](auto& b) {
       b.Int8("s4", {1, 6, 4, 6}, 1.0f / 256, -128);
       tfl::SoftmaxOptionsT options;
       options.beta = 1;
       b.Op(T::Builtin::SOFTMAX, {"x"}, {"s4"}, options);
     },
     "'s4' has shape [1, 6, 4, 6], the inputs make [1, 6, 6, 4]", kInvalid},
    {"ZeroPointOfUint8", [](auto& b) { b.tensor("pad").type = T::Type::UINT8; },
     "operator 3 (PAD): tensor 9 'pad': zero point -3 is no uint8", kInvalid},
    {"WeightZeroPointOfUint8",
     [](auto& b) {
       b.tensor("cw").type = T::Type::UINT8;
       b.quant("cw").zero_point[2] = -1;
     },
     "weights tensor 1 'cw' have zero point -1", kInvalid},
    {"FusedOnIntegers",
     [](auto& b) {
       b.Constant("i", {2}, T::Type::INT32, std::vector<int32_t>{1, 2});
       b.Tensor("ii", {2}, T::Type::INT32);
       tfl::AddOptionsT options;
       options.fused_activation_function = Fused::RELU;
       b.Op(T::Builtin::ADD, {"i", "i"}, {"ii"}, options);
     },
     "operator 13 (ADD): a fused activation on INT32"},
    // Shapes (tflite_shape.cc).
    {"ReshapeCount",
     [](auto& b) {
       b.SetData("shape", std::vector<int32_t>{3, 16});
     },
     "operator 9 (RESHAPE): tensor 16 'mean' of shape [1, 32] cannot become [3, 16]", kInvalid},
    {"ReshapeUnknownTwice",
     [](auto& b) {
       b.SetData("shape", std::vector<int32_t>{-1, -1});
     },
     "cannot become [-1, -1]", kInvalid},
    {"ReshapeUnknownDoesNotDivide",
     [](auto& b) {
       b.SetData("shape", std::vector<int32_t>{-1, 3});
     },
     "of shape [1, 32] cannot become [10, 3]: it has 32 elements; the new extents of an axis that "
     "is split, as channels into heads, must have its extent as their product",
     kInvalid},
    {"ReshapeZero",
     [](auto& b) {
       b.SetData("shape", std::vector<int32_t>{-1, 0});
     },
     "cannot become [-1, 0]", kInvalid},
    {"ReshapeDisagrees",
     [](auto& b) {
       b.SetData("shape", std::vector<int32_t>{1, 32});
     },
     "its result tensor 18 'reshape' has shape [2, 16], the inputs make [1, 32]", kInvalid},
    {"ReshapeWithoutShape",
     [](auto& b) {
       b.op(kReshape).inputs.pop_back();
       b.op(kReshape).builtin_options.Set(tfl::ReshapeOptionsT{});
       b.op(kReshape).builtin_options.AsReshapeOptions()->new_shape.assign(9, 1);
     },
     "its options have no shape of 1 to 8 axes", kInvalid},
    {"ReshapeScale", [](auto& b) { b.quant("reshape").zero_point[0] = 5; },
     "'mean' and its result tensor 18 'reshape' have different scales or zero points"},
    {"SqueezeAxis",
     [](auto& b) {
       Recode(b, kReshape, T::Builtin::SQUEEZE);
       b.op(kReshape).inputs.pop_back();
       b.op(kReshape).builtin_options.Set(tfl::SqueezeOptionsT{});
       b.op(kReshape).builtin_options.AsSqueezeOptions()->squeeze_dims = {1};
     },
     "operator 9 (SQUEEZE): axis 1 of tensor 16 'mean' with shape [1, 32] is not one of extent 1",
     kInvalid},
    {"SqueezeAxisFar",
     [](auto& b) {
       Recode(b, kReshape, T::Builtin::SQUEEZE);
       b.op(kReshape).inputs.pop_back();
       b.op(kReshape).builtin_options.Set(tfl::SqueezeOptionsT{});
       b.op(kReshape).builtin_options.AsSqueezeOptions()->squeeze_dims = {-3};
     },
     "axis -3 of tensor 16 'mean'", kInvalid},
    {"ExpandDimsAxis",
     [](auto& b) {
       Recode(b, kReshape, T::Builtin::EXPAND_DIMS);
       Refill(b, "shape", {1}, std::vector<int32_t>{3});
     },
     "operator 9 (EXPAND_DIMS): its axis is not one of -3 to 2", kInvalid},
    {"ExpandDimsAxes", [](auto& b) { Recode(b, kReshape, T::Builtin::EXPAND_DIMS); },
     "its axis is not one of -3 to 2", kInvalid},
    // Elements that move (tflite_move.cc).
    {"TransposeCount",
     [](auto& b) {
       Refill(b, "perm", {3}, std::vector<int32_t>{0, 2, 1});
     },
     "operator 7 (TRANSPOSE): an order of 3 axes for 4", kInvalid},
    {"TransposeTwice",
     [](auto& b) {
       b.SetData("perm", std::vector<int32_t>{0, 2, 2, 3});
     },
     "axis 2 is out of range or there twice in its order [0, 2, 2, 3]", kInvalid},
    {"TransposeFar",
     [](auto& b) {
       b.SetData("perm", std::vector<int32_t>{0, -5, 1, 3});
     },
     "axis -5 is out of range", kInvalid},
    {"TransposeScale", [](auto& b) { b.quant("transpose").scale[0] = 1; },
     "'concat' and its result tensor 14 'transpose' have different scales"},
    {"PadCount",
     [](auto& b) {
       Refill(b, "pads", {3, 2}, std::vector<int32_t>(6, 0));
     },
     "operator 3 (PAD): 6 pads for 4 axes", kInvalid},
    {"NegativePad",
     [](auto& b) {
       b.SetData("pads", std::vector<int32_t>{0, 0, -1, 0, 0, 1, 0, 0});
     },
     "pad -1 of axis 1; 0 to 268435456 are accepted", kInvalid},
    {"PadShape",
     [](auto& b) {
       b.SetData("pads", std::vector<int32_t>{0, 0, 1, 1, 0, 1, 0, 0});
     },
     "'pad' has shape [1, 4, 4, 16], the inputs make [1, 5, 4, 16]", kInvalid},
    {"PadScale", [](auto& b) { b.quant("pad").scale[0] = 1; },
     "operator 3 (PAD): 'add' and its result tensor 9 'pad' have different scales"},
    {"PadValue",
     [](auto& b) {
       Recode(b, kPad, T::Builtin::PADV2);
       b.op(kPad).inputs.push_back(b.Find("k"));
     },
     "operator 3 (PADV2): pad value tensor 6 'k' is not one constant of INT8"},
    {"PadValueScale",
     [](auto& b) {
       Recode(b, kPad, T::Builtin::PADV2);
       b.Constant("v", {}, T::Type::INT8, std::vector<int8_t>{5}, {0.25f});
       b.op(kPad).inputs.push_back(b.Find("v"));
     },
     "pad value tensor 24 'v' and tensor 7 'add' have different scales or zero points"},
    {"ConcatActivation",
     [](auto& b) {
       b.op(kConcat).builtin_options.AsConcatenationOptions()->fused_activation_function =
           Fused::RELU;
     },
     "operator 6 (CONCATENATION): a fused activation"},
    {"ConcatAxis",
     [](auto& b) { b.op(kConcat).builtin_options.AsConcatenationOptions()->axis = 4; },
     "axis 4 of shape [1, 2, 2, 16]", kInvalid},
    {"ConcatShapes", [](auto& b) { b.op(kConcat).inputs[1] = b.Find("max"); },
     "input tensor 10 'max' of shape [1, 3, 3, 16] does not go beside [1, 2, 2, 16] along axis 3",
     kInvalid},
    {"ConcatScale", [](auto& b) { b.quant("concat").zero_point[0] = 0; },
     "'average' and its result tensor 12 'concat' have different scales"},
};

class TfliteBadOps : public ::testing::TestWithParam<TfliteCase> {};

TEST_P(TfliteBadOps, IsRefusedWithTheReason) { ExpectRefused(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, TfliteBadOps, ::testing::ValuesIn(kCases),
                         [](const auto& i) { return std::string(i.param.name); });

}  // namespace
}  // namespace tessera::tflite_bad_ops_test
