// SPDX-License-Identifier: Apache-2.0
//
// Every diagnostic of the ONNX importer about operators and where their results go; as
// import_bad_test.cc.
#include "tests/compiler/import/bad_model.h"

namespace tessera::import_bad_ops_test {
namespace {

const Case kCases[] = {
    // Where float results go.
    {"TwoQuantisations", [](auto& b) { b.Qdq("r", "other", 0.75f, 0); },
     "its result is quantised in two ways"},
    {"OperandNotMade", [](auto& b) { b.node("conv").set_input(0, "nothing"); },
     "its operand 'nothing' is not the result of DequantizeLinear"},
    {"OperandMissing", [](auto& b) { b.node("conv").clear_input(); }, "operand 0 is missing",
     kInvalid},
    {"ConstantOperand", [](auto& b) { b.node("conv").set_input(0, "w"); },
     "bias 'b' has scale 0.05"},
    {"ClipByAValue",
     [](auto& b) {
       b.node("relu").set_op_type("Clip");
       b.node("relu").add_input("x");
     },
     "its bound 'x' is not a constant number"},
    {"ClipByNan",
     [](auto& b) {
       b.node("relu").set_op_type("Clip");
       B::AttrF(b.node("relu"), "max", std::nanf(""));
     },
     "a bound is NaN", kInvalid},
    {"ClipUpsideDown",
     [](auto& b) {
       b.node("relu").set_op_type("Clip");
       B::AttrF(b.node("relu"), "min", 5);
       B::AttrF(b.node("relu"), "max", -5);
     },
     "its lower bound is above the upper", kInvalid},
    // Convolution.
    {"WeightsNotConstant", [](auto& b) { b.node("conv").set_input(1, "xq"); },
     "its weights are not an int8 constant"},
    {"WeightsMissing", [](auto& b) { b.node("conv").mutable_input()->DeleteSubrange(1, 2); },
     "its weights are not an int8 constant"},
    {"WeightsInt32", [](auto& b) { b.node("conv").set_input(1, "b"); },
     "its weights are not an int8 constant"},
    {"WeightsOfRankTwo",
     [](auto& b) {
       b.node("conv").set_input(1, "v");
       b.Weights("early", {1, 1}, {1}, {1});
       b.node("conv").set_input(1, "early");
     },
     "its weights are not an int8 constant"},
    {"WeightsEmpty",
     [](auto& b) {
       Resize(b.init("w_i"), {4, 2, 0, 3}, 0);
     },
     "weights of shape [4, 2, 0, 3] are empty", kInvalid},
    {"WeightZeroPoint", [](auto& b) { b.init("w_z").set_int32_data(1, 7); },
     "weights 'w_i' have zero point 7; only symmetric weights"},
    {"WeightsAlongInput",
     [](auto& b) {
       Resize(b.init("w_i"), {4, 4, 3, 3}, 144);
       b.node("w_dequantize").mutable_attribute(0)->set_i(1);
     },
     "weights quantised along axis 1"},
    {"Groups", [](auto& b) { B::Attr(b.node("conv"), "group", int64_t{2}); },
     "2 groups, weights [4, 2, 3, 3], input [1, 2, 6, 6] do not agree", kInvalid},
    {"NegativeGroups", [](auto& b) { B::Attr(b.node("conv"), "group", int64_t{-1}); }, "-1 groups",
     kInvalid},
    {"KernelShape",
     [](auto& b) {
       SetInts(b.node("conv"), "kernel_shape", {3, 2});
     },
     "kernel_shape [3, 2] but the weights' is [3, 3]", kInvalid},
    {"Strides", [](auto& b) { SetInts(b.node("conv"), "strides", {2}); },
     "attribute strides has 1 values for 2 spatial axes", kInvalid},
    {"ZeroStride",
     [](auto& b) {
       SetInts(b.node("conv"), "strides", {0, 1});
     },
     "attribute strides holds 0", kInvalid},
    {"HugeDilation",
     [](auto& b) {
       SetInts(b.node("conv"), "dilations", {1, 5000});
     },
     "attribute dilations holds 5000", kInvalid},
    {"NegativePad",
     [](auto& b) {
       SetInts(b.node("conv"), "pads", {0, 0, -1, 0});
     },
     "attribute pads holds -1", kInvalid},
    {"PadCount",
     [](auto& b) {
       SetInts(b.node("conv"), "pads", {1, 1});
     },
     "attribute pads has 2 values", kInvalid},
    {"AutoPad", [](auto& b) { B::AttrS(b.node("conv"), "auto_pad", "MAYBE"); }, "auto_pad 'MAYBE'",
     kInvalid},
    {"PadsAndAutoPad",
     [](auto& b) {
       B::AttrS(b.node("conv"), "auto_pad", "VALID");
       SetInts(b.node("conv"), "pads", {1, 1, 1, 1});
     },
     "both pads and auto_pad 'VALID'", kInvalid},
    {"WindowTooLarge",
     [](auto& b) {
       SetInts(b.node("conv"), "dilations", {1, 4});
     },
     "a window of [3, 3] does not fit", kInvalid},
    {"BiasCount",
     [](auto& b) {
       Resize(b.init("b_i"), {3}, 3);
       Resize(b.init("b_z"), {}, 1);
       b.init("b_s").clear_dims();
       b.init("b_s").mutable_float_data()->Truncate(1);
     },
     "3 biases for 4 channels", kInvalid},
    {"BiasNotConstant", [](auto& b) { b.node("conv").set_input(2, "xq"); },
     "its bias 'xq' is not an int32 constant"},
    {"BiasInt8", [](auto& b) { b.node("conv").set_input(2, "w"); },
     "its bias 'w' is not an int32 constant"},
    {"BiasZeroPoint", [](auto& b) { b.init("b_z").set_int32_data(2, 1); },
     "bias 'b' has a zero point"},
    {"BiasScale", [](auto& b) { b.init("b_s").set_float_data(3, 0.3f); }, "bias 'b' has scale 0.3"},
    {"FloatBiasCount",
     [](auto& b) {
       b.Floats("fb", {3}, {1, 2, 3});
       b.node("conv").set_input(2, "fb");
     },
     "3 biases for 4 channels", kInvalid},
    {"FloatBiasRange",
     [](auto& b) {
       b.Floats("fb", {4}, {1, 2, 3, 1e30f});
       b.node("conv").set_input(2, "fb");
     },
     "of channel 3 does not fit int32", kRange},
    {"FloatBiasNan",
     [](auto& b) {
       b.Floats("fb", {4}, {std::nanf(""), 2, 3, 4});
       b.node("conv").set_input(2, "fb");
     },
     "of channel 0 does not fit int32", kRange},
    // Gemm.
    {"TransA", [](auto& b) { B::Attr(b.node("gemm"), "transA", int64_t{1}); },
     "operands of shapes [16, 1] and [16, 3] make no product", kInvalid},
    {"GemmOfAnImage", [](auto& b) { b.node("gemm").set_input(0, "p"); },
     "input [1, 4, 2, 2] and weights [3, 16] do not agree", kInvalid},
    {"GemmShapes",
     [](auto& b) {
       Resize(b.init("v_i"), {3, 15}, 45);
     },
     "input [1, 16] and weights [3, 15] do not agree", kInvalid},
    {"GemmWeightRank",
     [](auto& b) {
       Resize(b.init("v_i"), {3, 4, 4}, 48);
     },
     "operands of shapes [1, 16] and [3, 4, 4], two axes are needed", kInvalid},
    {"GemmAxis",
     [](auto& b) {
       Resize(b.init("v_i"), {3, 16}, 48);
       b.Floats("s16", {16}, std::vector<float>(16, 1));
       b.node("v_dequantize").set_input(1, "s16");
       b.node("v_dequantize").mutable_input()->RemoveLast();
       B::Attr(b.node("v_dequantize"), "axis", int64_t{1});
     },
     "weights quantised along their input axis"},
    // Pools.
    {"PoolRank",
     [](auto& b) {
       b.node("pool").set_input(0, "f");
       b.node("flatten").set_input(0, "rq");
       auto& n = *b.graph().mutable_node();
       n.SwapElements(8, 9);
     },
     "(MaxPool 'pool'): input shape [1, 64]"},
    {"PoolWithoutKernel", [](auto& b) { b.node("pool").clear_attribute(); }, "has no kernel_shape",
     kInvalid},
    {"PoolOfThreeAxes",
     [](auto& b) {
       SetInts(b.node("pool"), "kernel_shape", {2, 2, 2});
     },
     "3 spatial axes"},
    {"Indices", [](auto& b) { b.node("pool").add_output("where"); }, "the indices output"},
    {"PadsAsLargeAsTheWindow",
     [](auto& b) {
       SetInts(b.node("pool"), "pads", {2, 0, 0, 0});
     },
     "pads as large as the window", kInvalid},
    {"HugePool",
     [](auto& b) {
       SetInts(b.node("pool"), "kernel_shape", {4000, 4000});
       SetInts(b.node("pool"), "pads", {3999, 3999, 3999, 3999});
     },
     "a window of 4000x4000, at most 65536"},
    // Shapes.
    {"FlattenAxis", [](auto& b) { B::Attr(b.node("flatten"), "axis", int64_t{5}); },
     "axis 5 of shape [1, 4, 2, 2]", kInvalid},
    {"ReshapeByAValue",
     [](auto& b) {
       b.node("flatten").set_op_type("Reshape");
       b.node("flatten").add_input("x");
     },
     "input 1 'x' is not a constant of int64 or int32"},
    {"ReshapeWithoutShape", [](auto& b) { b.node("flatten").set_op_type("Reshape"); },
     "input 1 is not a constant of int64 or int32"},
    {"ReshapeCount",
     [](auto& b) {
       b.Int64s("to", {2}, {1, 17});
       b.node("flatten").set_op_type("Reshape");
       b.node("flatten").add_input("to");
     },
     "[1, 4, 2, 2] cannot become [1, 17]", kInvalid},
    {"ReshapeToHeads",
     [](auto& b) {
       b.Int64s("to", {4}, {0, 3, -1, 4});
       b.node("flatten").set_op_type("Reshape");
       b.node("flatten").add_input("to");
     },
     "[1, 4, 2, 2] cannot become [1, 3, 1, 4]: it has 16 elements; the new extents of an axis that "
     "is split, as channels into heads, must have its extent as their product",
     kInvalid},
    {"ReshapeTwoUnknown",
     [](auto& b) {
       b.Int64s("to", {2}, {-1, -1});
       b.node("flatten").set_op_type("Reshape");
       b.node("flatten").add_input("to");
     },
     "cannot become [-1, -1]", kInvalid},
    {"ReshapeOverflow",
     [](auto& b) {
       b.Int64s("to", {3}, {-1, int64_t{1} << 62, 8});
       b.node("flatten").set_op_type("Reshape");
       b.node("flatten").add_input("to");
     },
     "cannot become", kInvalid},
    {"ReshapeToScalar",
     [](auto& b) {
       b.Int64s("to", {0}, {});
       b.node("flatten").set_op_type("Reshape");
       b.node("flatten").add_input("to");
     },
     "cannot become []", kInvalid},
    {"ReshapeRank",
     [](auto& b) {
       b.Int64s("to", {9}, {16, 1, 1, 1, 1, 1, 1, 1, 1});
       b.node("flatten").set_op_type("Reshape");
       b.node("flatten").add_input("to");
     },
     "9 axes, at most 8"},
    {"SqueezeAxis",
     [](auto& b) {
       b.Int64s("to", {1}, {4});
       b.node("flatten").set_op_type("Squeeze");
       b.node("flatten").add_input("to");
     },
     "axis 4 of shape", kInvalid},
    {"SqueezeWide",
     [](auto& b) {
       b.Int64s("to", {1}, {1});
       b.node("flatten").set_op_type("Squeeze");
       b.node("flatten").add_input("to");
     },
     "[1, 4, 2, 2] cannot become [1, 2, 2]", kInvalid},
    {"UnsqueezeTwice",
     [](auto& b) {
       b.Int64s("to", {2}, {0, 0});
       b.node("flatten").set_op_type("Unsqueeze");
       b.node("flatten").add_input("to");
     },
     "axis 0 of shape", kInvalid},
    // Elementwise.
    {"Broadcast",
     [](auto& b) {
       b.Node("Add", {"xq", "rq"}, {"s"}, "add");
       b.Qdq("s", "sq", 0.5f, 0);
     },
     "(Add 'add'): shapes [1, 2, 6, 6] and [1, 4, 4, 4] do not repeat to one another", kInvalid},
    {"AddConstant",
     [](auto& b) {
       b.Node("Mul", {"xq", "w"}, {"s"}, "mul");
       b.Qdq("s", "sq", 0.5f, 0);
     },
     "(Mul 'mul'): shapes [1, 2, 6, 6] and [4, 2, 3, 3] do not repeat to one another", kInvalid},
    {"DropoutThatTrains",
     [](auto& b) {
       b.Int8s("on", {}, {1}, onnx::TensorProto::BOOL);
       b.Node("Dropout", {"xq", "", "on"}, {"s"}, "drop");
     },
     "(Dropout 'drop'): training_mode 'on' is not a constant false"},
    // Operators on floats: here behind the conv, whose result then is not quantised.
    {"FloatBroadcast",
     [](auto& b) {
       b.Node("Add", {"x", "c"}, {"s"}, "add");
     },
     "(Add 'add'): shapes [1, 2, 6, 6] and [1, 4, 4, 4] do not repeat to one another", kInvalid},
    {"FloatOperandNotMade",
     [](auto& b) {
       b.Node("Add", {"x", "nothing"}, {"s"}, "add");
     },
     "its operand 'nothing' is neither made by an operator in front of it nor a constant"},
    {"FloatWeightsNotConstant",
     [](auto& b) {
       b.node("conv").set_input(0, "x");
       b.node("conv").set_input(1, "xq");
     },
     "its weights 'xq' are not a constant"},
    {"FloatWeightsRank",
     [](auto& b) {
       b.Floats("fw", {4, 2, 9}, std::vector<float>(72, 1));
       b.node("conv").set_input(1, "fw");
     },
     "weights of shape [4, 2, 9], 4 axes are needed", kInvalid},
    {"FloatWeightsEmpty",
     [](auto& b) {
       b.Floats("fw", {4, 2, 0, 3}, {});
       b.node("conv").set_input(1, "fw");
     },
     "its operand 'fw' is empty", kInvalid},
    {"FloatBiasNotConstant",
     [](auto& b) {
       b.node("conv").set_input(0, "x");
       b.node("conv").set_input(2, "xq");
     },
     "its bias 'xq' is not a constant"},
    {"FloatBiasShape",
     [](auto& b) {
       b.Floats("fb", {3}, {1, 2, 3});
       b.node("conv").set_input(0, "x");
       b.node("conv").set_input(2, "fb");
     },
     "biases of shape [3] for 4 channels"},
    {"CastToDouble",
     [](auto& b) { B::Attr(b.Node("Cast", {"x"}, {"s"}, "cast"), "to", int64_t{11}); },
     "(Cast 'cast'): to type 11; float32 (1), uint8 (2), int8 (3)"},
    {"SoftmaxAxis",
     [](auto& b) { B::Attr(b.Node("Softmax", {"x"}, {"s"}, "soft"), "axis", int64_t{4}); },
     "(Softmax 'soft'): axis 4 of shape [1, 2, 6, 6]", kInvalid},
    {"TransposeOrder",
     [](auto& b) {
       B::Attr(b.Node("Transpose", {"x"}, {"s"}, "turn"), "perm", B::Dims{0, 1, 1, 3});
     },
     "(Transpose 'turn'): order [0, 1, 1, 3] of the axes of shape [1, 2, 6, 6]", kInvalid},
};

class ImportBadOps : public ::testing::TestWithParam<Case> {};

TEST_P(ImportBadOps, IsRefusedWithTheReason) { ExpectRefused(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, ImportBadOps, ::testing::ValuesIn(kCases),
                         [](const auto& i) { return std::string(i.param.name); });

}  // namespace
}  // namespace tessera::import_bad_ops_test
