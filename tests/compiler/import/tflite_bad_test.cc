// SPDX-License-Identifier: Apache-2.0
//
// Every diagnostic of the TFLite importer about files, tensors, edges and scales: a good model, one
// thing spoilt, the message that names it. The good model is imported first, so each case differs
// from it by that one thing. Damage without meaning: every truncation, thousands of changed bytes.
// Not here: operators (tflite_bad_ops_test.cc), what good models become (tflite_test.cc).
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "compiler/import/import.h"
#include "tests/compiler/import/bad_tflite.h"

namespace tessera::tflite_bad_test {
namespace {

constexpr Code kInvalid = Code::kInvalidArgument;
constexpr Code kRange = Code::kOutOfRange;

const TfliteCase kCases[] = {
    // The file (tflite_model.cc).
    {"Version", [](auto& b) { b.model.version = 2; }, "is of version 2 of the TFLite format"},
    {"NoSubgraph", [](auto& b) { b.model.subgraphs.clear(); }, "the model has no subgraph",
     kInvalid},
    {"NoOperators", [](auto& b) { b.graph().operators.clear(); }, "the model has no operators",
     kInvalid},
    {"TooManyOperators",
     [](auto& b) {
       for (int i = 0; i < 16384; ++i) b.Op(T::Builtin::RELU, {"x"}, {"conv"});
     },
     "the model has 16397 operators, at most 16384 are accepted", kRange},
    {"TooManyTensors",
     [](auto& b) {
       for (int i = 0; i < 65536; ++i) b.Tensor("t", {1}, T::Type::INT8);
     },
     "tensors, at most 65536 are accepted", kRange},
    {"CustomOperator",
     [](auto& b) {
       b.code(kMax).builtin_code = T::Builtin::CUSTOM;
       b.code(kMax).deprecated_builtin_code = 32;
       b.code(kMax).custom_code = "Twist\n";
     },
     "operator 4 (custom:Twist\\n): operator custom:Twist\\n is not supported"},
    {"UnknownCode", [](auto& b) { b.code(kMax).builtin_code = static_cast<T::Builtin>(100000); },
     "operator 4: operators of code 100000 are not supported"},
    {"NegativeCode",
     [](auto& b) {
       b.code(kMax).builtin_code = static_cast<T::Builtin>(-5);
       b.code(kMax).deprecated_builtin_code = -5;
     },
     "operator 4: operators of code -5 are not supported"},
    {"CodeIndex", [](auto& b) { b.op(kMax).opcode_index = 99; },
     "operator 4: its code is number 99, the file has 13", kInvalid},
    {"InputIndex", [](auto& b) { b.op(kMax).inputs = {1000}; },
     "operator 4 (MAX_POOL_2D): input 0 is tensor 1000, the file has", kInvalid},
    {"NegativeInputIndex", [](auto& b) { b.op(kMax).inputs = {-2}; }, "input 0 is tensor -2",
     kInvalid},
    {"OutputIndex", [](auto& b) { b.op(kMax).outputs = {-1}; },
     "operator 4 (MAX_POOL_2D): output 0 is tensor -1", kInvalid},
    {"TooManyOperands", [](auto& b) { b.op(kConcat).inputs.assign(1025, 0); },
     "operator 6 (CONCATENATION): input has 1025 tensors, at most 1024", kRange},
    {"ModelInputIndex", [](auto& b) { b.graph().inputs = {77}; }, "model input 0 is tensor 77",
     kInvalid},
    {"ModelOutputIndex", [](auto& b) { b.graph().outputs = {-1}; }, "model output 0 is tensor -1",
     kInvalid},
    // Tensors (tflite_model.cc).
    {"Sparse", [](auto& b) { b.tensor("cw").sparsity = std::make_unique<tfl::SparsityT>(); },
     "tensor 1 'cw': sparse tensors are not supported"},
    {"ExternalBuffer", [](auto& b) { b.tensor("cw").external_buffer = 1; },
     "tensor 1 'cw': its data are in another file"},
    {"BufferBehindTheTables",
     [](auto& b) {
       b.buffer("cw").offset = 4096;
       b.buffer("cw").size = 288;
     },
     "tensor 1 'cw': buffer 1 lies behind the tables"},
    {"BufferIndex", [](auto& b) { b.tensor("cw").buffer = 500; },
     "tensor 1 'cw': its data are in buffer 500, the file has", kInvalid},
    {"NineAxes", [](auto& b) { b.tensor("add").shape.assign(9, 1); },
     "'add': 9 axes, at most 8 are supported"},
    {"NegativeExtent", [](auto& b) { b.tensor("add").shape[1] = -1; },
     "'add': shape [1, -1, 3, 16] has a negative extent", kInvalid},
    {"ShapeOverflows",
     [](auto& b) {
       b.tensor("add").shape = {2147483647, 2147483647, 2147483647, 2147483647};
     },
     "'add': shape [2147483647", kRange},
    {"HugeTensor",
     [](auto& b) {
       b.tensor("add").shape = {1, 20000, 20000, 1};
     },
     "'add': shape [1, 20000", kRange},
    {"ShortBuffer", [](auto& b) { b.buffer("cw").data.pop_back(); },
     "tensor 1 'cw': shape [8, 3, 3, 4] of INT8 takes 288 bytes, buffer 1 has 287", kInvalid},
    {"LongBuffer", [](auto& b) { b.buffer("cb").data.push_back(0); },
     "tensor 2 'cb': shape [8] of INT32 takes 32 bytes, buffer 2 has 33", kInvalid},
    {"AnotherTensorsBuffer", [](auto& b) { b.tensor("cw").buffer = b.tensor("cb").buffer; },
     "takes 288 bytes, buffer 2 has 32", kInvalid},
    {"OpenHeight",
     [](auto& b) {
       b.tensor("x").shape_signature = {-1, -1, 6, 4};
     },
     "model input: tensor 0 'x': extent 1 of its shape is open; give the input a shape"},
    {"SignatureOfAnotherRank",
     [](auto& b) {
       b.tensor("x").shape_signature = {-1, 6};
     },
     "tensor 0 'x': a shape of 4 extents and a signature of 2", kInvalid},
    {"SignatureDisagrees",
     [](auto& b) {
       b.tensor("x").shape_signature = {1, 7, 6, 4};
     },
     "tensor 0 'x': extent 1 is 6 in its shape and 7 in its signature", kInvalid},
    // Inputs and outputs (tflite_convert.cc).
    {"NoInputs", [](auto& b) { b.graph().inputs.clear(); }, "the model has no inputs", kInvalid},
    {"InputTwice",
     [](auto& b) {
       b.graph().inputs = {0, 0};
     },
     "model input: tensor 0 'x' is an input twice", kInvalid},
    {"ConstantInput",
     [](auto& b) {
       b.graph().inputs = {0, 1};
     },
     "model input: tensor 1 'cw' is a constant", kInvalid},
    {"EmptyInput", [](auto& b) { b.tensor("x").shape[2] = 0; },
     "model input: tensor 0 'x': shape [1, 6, 0, 4]"},
    {"ScalarInput", [](auto& b) { b.tensor("x").shape.clear(); },
     "model input: tensor 0 'x': shape []"},
    {"Uint8Input",
     [](auto& b) {
       b.tensor("x").type = T::Type::UINT8;
       b.quant("x").zero_point[0] = -1;
     },
     "model input: tensor 0 'x': zero point -1 is no uint8", kInvalid},
    {"InputOfUnknownType", [](auto& b) { b.tensor("x").type = static_cast<T::Type>(77); },
     "model input: tensor 0 'x' is type 77"},
    {"InputWithoutScale", [](auto& b) { b.tensor("x").quantization.reset(); },
     "model input: tensor 0 'x' has no scale; quantise the model", kInvalid},
    {"NoOutputs", [](auto& b) { b.graph().outputs.clear(); }, "the model has no outputs", kInvalid},
    {"OutputNobodyMakes",
     [](auto& b) {
       b.Int8("lone", {1}, 1, 0);
       b.Output("lone");
     },
     "'lone' is not made by an operator", kInvalid},

    // The walk (tflite_convert.cc, tflite_operand.cc).
    {"UnsupportedOperator",
     [](auto& b) {
       b.code(kMax).builtin_code = T::Builtin::RFFT2D;
       b.code(kMax).deprecated_builtin_code = 127;
     },
     "operator 4 (RFFT2D): operator RFFT2D is not supported; it makes tensor 10 'max' "
     "(supported: ABS ADD "},
    {"UnsupportedOperators",
     [](auto& b) {
       for (const auto op : {kMax, kAverage}) {
         b.code(op).builtin_code = T::Builtin::RFFT2D;
         b.code(op).deprecated_builtin_code = 127;
       }
       b.code(kPad).builtin_code = T::Builtin::SVDF;
       b.code(kPad).deprecated_builtin_code = 27;
     },
     "operators that are not supported: 2 x RFFT2D (first: operator 4), 1 x SVDF (first: operator "
     "3) "
     "(supported: ABS"},
    {"InputsTooFew", [](auto& b) { b.op(kConv).inputs = {0}; },
     "operator 0 (CONV_2D): 1 inputs, takes 2 to 3", kInvalid},
    {"InputsTooMany",
     [](auto& b) {
       b.op(kMax).inputs = {0, 0};
     },
     "operator 4 (MAX_POOL_2D): 2 inputs, takes 1 to 1", kInvalid},
    {"NoResult", [](auto& b) { b.op(kMax).outputs.clear(); },
     "operator 4 (MAX_POOL_2D): 0 results, makes one", kInvalid},
    {"TwoResults",
     [](auto& b) {
       b.op(kMax).outputs = {10, 10};
     },
     "2 results, makes one", kInvalid},
    {"ResultIsAConstant", [](auto& b) { b.op(kMax).outputs = {1}; },
     "its result tensor 1 'cw' is a constant", kInvalid},
    {"ResultMadeTwice", [](auto& b) { b.op(kMax).outputs = b.op(kPad).outputs; },
     "'pad' has another maker", kInvalid},
    {"ResultIsAnInput", [](auto& b) { b.op(kMax).outputs = {0}; }, "'x' has another maker",
     kInvalid},
    {"OmittedInput", [](auto& b) { b.op(kMax).inputs = {-1}; },
     "operator 4 (MAX_POOL_2D): input 0 is missing", kInvalid},
    {"InputOfAnotherType", [](auto& b) { b.op(kSoftmax).inputs = {b.Find("cb")}; },
     "input tensor 2 'cb' is INT32; INT8 is supported"},
    {"UsedBeforeMade", [](auto& b) { std::swap(b.graph().operators[3], b.graph().operators[4]); },
     "operator 3 (MAX_POOL_2D): input tensor 9 'pad' is used before it is made", kInvalid},
    {"Cycle", [](auto& b) { b.op(kMax).inputs = b.op(kMax).outputs; },
     "'max' is used before it is made", kInvalid},
    {"ResultOfAnotherType", [](auto& b) { b.tensor("softmax").type = T::Type::INT32; },
     "operator 11 (SOFTMAX): input tensor 21 'dense' is INT8; INT32 is supported"},
    {"DequantizeToInt8",
     [](auto& b) {
       b.tensor("y").type = T::Type::INT8;
       b.SetQuant("y", {1}, {0}, 0);
     },
     "its result tensor 23 'y' is INT8; FLOAT32 is supported"},
    {"ResultOfAnotherShape",
     [](auto& b) {
       b.tensor("conv").shape = {1, 3, 4, 8};
     },
     "operator 0 (CONV_2D): its result tensor 3 'conv' has shape [1, 3, 4, 8], the inputs make "
     "[1, 3, 3, 8]",
     kInvalid},
    {"MissingOptions", [](auto& b) { b.op(kMax).builtin_options.Reset(); },
     "operator 4 (MAX_POOL_2D): its options are missing or another operator's", kInvalid},
    {"OptionsOfAnother", [](auto& b) { b.op(kMax).builtin_options.Set(tfl::AddOptionsT{}); },
     "its options are missing or another operator's", kInvalid},
    {"ConstantsTooLarge",
     [](auto& b) {
       b.Int8("wide", {1, 1 << 28}, 1, 0);
       b.Input("wide");
       b.Constant("one", {1}, T::Type::INT8, T::Count<int8_t>(1), {1});
       b.Int8("sum", {1, 1 << 28}, 1, 0);
       b.Op(T::Builtin::ADD, {"wide", "one"}, {"sum"});
     },
     "operator 13 (ADD): the constants that operators use come to", kRange},
    {"ComputedShape", [](auto& b) { b.op(kReshape).inputs[1] = b.Find("mean"); },
     "is not a constant of INT32 or INT64"},
    {"FloatAxes", [](auto& b) { b.tensor("axes").type = T::Type::FLOAT32; },
     "'axes' is not a constant of INT32 or INT64"},
    {"LongShape",
     [](auto& b) {
       b.tensor("shape").shape = {1025};
       b.SetData("shape", std::vector<int32_t>(1025, 1));
     },
     "'shape' has 1025 values", kInvalid},
    // Scales and zero points (tflite_quant.cc).
    {"NoScale", [](auto& b) { b.quant("conv").scale.clear(); },
     "operator 0 (CONV_2D): tensor 3 'conv' has no scale", kInvalid},
    {"CustomQuantization", [](auto& b) { b.quant("conv").details_type = 1; },
     "tensor 3 'conv': a quantisation other than scale and zero point"},
    {"MoreZeroPoints",
     [](auto& b) {
       b.quant("conv").zero_point = {0, 0};
     },
     "tensor 3 'conv' has 1 scales and 2 zero points", kInvalid},
    {"ActivationPerChannel",
     [](auto& b) {
       b.SetQuant("conv", {1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0, 0}, 3);
     },
     "tensor 3 'conv' has 8 scales, one is needed", kInvalid},
    {"ScaleCount",
     [](auto& b) {
       b.SetQuant("cw", {1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}, 0);
     },
     "tensor 1 'cw' has 5 scales, one or 8 are needed", kInvalid},
    {"ScaleAxis", [](auto& b) { b.quant("cw").quantized_dimension = 3; },
     "tensor 1 'cw' has its scales along axis 3, its channels are along axis 0", kInvalid},
    {"ScaleAxisFar", [](auto& b) { b.quant("cw").quantized_dimension = -7; },
     "scales along axis -7", kInvalid},
    {"ZeroScale", [](auto& b) { b.quant("cw").scale[5] = 0; },
     "operator 0 (CONV_2D): tensor 1 'cw': scale 5 is 0; a scale is a finite number above 0",
     kInvalid},
    {"NanScale", [](auto& b) { b.quant("conv").scale[0] = std::nanf(""); },
     "tensor 3 'conv': scale 0 is nan", kInvalid},
    {"InfiniteScale", [](auto& b) { b.quant("x").scale[0] = INFINITY; },
     "model input: tensor 0 'x': scale 0 is inf", kInvalid},
    {"NegativeScale", [](auto& b) { b.quant("add").scale[0] = -1; }, "'add': scale 0 is -1",
     kInvalid},
    {"ZeroPointOf64Bits",
     [](auto& b) { b.quant("add").zero_point[0] = std::numeric_limits<int64_t>::min(); },
     "'add': zero point 0 is -9223372036854775808", kInvalid},
    {"ZeroPointAboveInt8", [](auto& b) { b.quant("add").zero_point[0] = 128; },
     "'add': zero point 128 is no int8", kInvalid},
    {"RescaledPool", [](auto& b) { b.quant("max").scale[0] = 0.5f; },
     "operator 4 (MAX_POOL_2D): 'pad' and its result tensor 10 'max' have different scales"},
};

class TfliteBad : public ::testing::TestWithParam<TfliteCase> {};

TEST_P(TfliteBad, IsRefusedWithTheReason) { ExpectRefused(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, TfliteBad, ::testing::ValuesIn(kCases),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(TfliteBadFile, NotAModel) {
  const std::string text = "this is not a model";
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  const auto bad = ImportTflite(bytes, "t.tflite");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "t.tflite: is not a TFLite model: bytes 4 to 7 are not 'TFL3'");
  EXPECT_FALSE(ImportTflite({}, "empty.tflite"));
  EXPECT_EQ(FormatOf(bytes), ModelFormat::kOnnx);
  EXPECT_EQ(FormatOf({}), ModelFormat::kOnnx);
}

TEST(TfliteBadFile, LargerThanTheFormatAllows) {
  const std::vector<uint8_t> bytes = GoodTflite().Bytes();
  // Refused by its size alone: nothing behind the first bytes is read.
  const auto bad = ImportTflite({bytes.data(), size_t{1} << 31}, "m.tflite");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, kRange);
  EXPECT_EQ(bad.error().message,
            "m.tflite: has 2147483648 bytes, a TFLite model has at most 2147483584");
}

TEST(TfliteBadFile, EveryTruncationIsRefused) {
  const std::vector<uint8_t> bytes = GoodTflite().Bytes();
  for (size_t n = 0; n < bytes.size(); ++n) {
    // A copy of its own, so that a read behind the end is one that sanitizers see.
    const auto cut = ImportTflite(std::vector<uint8_t>(bytes.begin(), bytes.begin() + n), "m");
    // A string's last padding and whole zero bytes may be missing unnoticed, nothing else.
    if (cut) {
      EXPECT_GE(n + 16, bytes.size()) << n;
    }
  }
}

TEST(TfliteBadFile, AnyAlignmentIsRead) {
  const std::vector<uint8_t> bytes = GoodTflite().Bytes();
  for (size_t shift = 1; shift < 16; ++shift) {
    std::vector<uint8_t> moved(shift);
    moved.insert(moved.end(), bytes.begin(), bytes.end());
    EXPECT_TRUE(ImportTflite(std::span(moved).subspan(shift), "m")) << shift;
  }
}

// What a changed file becomes is unknown; it must be a graph that Verify takes, or one line.
void ExpectSound(const std::vector<uint8_t>& bytes) {
  const auto graph = ImportTflite(bytes, "m");
  if (graph) {
    const Status status = graph::Verify(*graph);
    EXPECT_TRUE(status) << status.error().message;
  } else {
    EXPECT_FALSE(graph.error().message.empty());
    EXPECT_EQ(graph.error().message.find('\n'), std::string::npos) << graph.error().message;
  }
}

TEST(TfliteBadFile, EveryByteWithEveryBitChanged) {
  const std::vector<uint8_t> bytes = GoodTflite().Bytes();
  for (size_t n = 0; n < bytes.size(); ++n) {
    for (const int change : {0x01, 0x80, 0xff}) {
      SCOPED_TRACE(fmt::format("byte {} xor {}", n, change));
      std::vector<uint8_t> changed = bytes;
      changed[n] = static_cast<uint8_t>(changed[n] ^ change);
      ExpectSound(changed);
    }
  }
}

TEST(TfliteBadFile, RandomChanges) {
  const std::vector<uint8_t> bytes = GoodTflite().Bytes();
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Rng rng(seed);
    const auto below = [&](size_t n) {
      return static_cast<size_t>(rng.Range(0, static_cast<int64_t>(n) - 1));
    };
    std::vector<uint8_t> changed = bytes;
    const size_t changes = 1 + below(8);
    for (size_t i = 0; i < changes; ++i) {
      const size_t at = below(changed.size() - 3);
      switch (below(4)) {
        case 0:
          changed[at] = static_cast<uint8_t>(below(256));
          break;
        case 1: {  // a number that bounds are likely to be near
          const uint32_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 1 << 28};
          std::memcpy(&changed[at], &values[below(std::size(values))], 4);
          break;
        }
        case 2:  // another part of the file
          std::memcpy(&changed[at], &bytes[below(bytes.size() - 3)], 4);
          break;
        default:
          changed.resize(changed.size() - below(changed.size() / 8));
          if (changed.size() < 16) changed.resize(16);
          break;
      }
    }
    ExpectSound(changed);
  }
}

}  // namespace
}  // namespace tessera::tflite_bad_test
