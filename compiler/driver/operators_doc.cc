// SPDX-License-Identifier: Apache-2.0
//
// Prints docs/operators.md: the graph's operators by data type and device. What a device takes is
// asked of the compiler with a small network of each operator, so that the page cannot promise what
// is not there.
#include <fmt/format.h>

#include <cstdio>
#include <iterator>

#include "base/check.h"
#include "compiler/driver/accel_region.h"
#include "compiler/driver/host_func.h"
#include "compiler/graph/fuse.h"
#include "compiler/import/onnx.h"
#include "compiler/import/tflite.h"
#include "compiler/quantize/params.h"

namespace tessera::compiler {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::TensorId;

struct DocRow {
  Op op;
  const char* meaning;
};
constexpr DocRow kOps[] = {
#define OP(name, text, category, least, most, meaning) {Op::name, meaning},
#include "compiler/graph/ops.def"
};

const graph::Quant kScale{{0.25}, {3}, -1};

TensorId Activation(Graph& g, const std::string& name, std::vector<int64_t> shape,
                    const graph::Quant& quant = kScale, DType dtype = DType::kInt8) {
  return g.AddTensor({.name = name,
                      .dtype = dtype,
                      .shape = std::move(shape),
                      .quant = dtype == DType::kInt8 ? std::optional(quant) : std::nullopt});
}

TensorId Weights(Graph& g, std::vector<int64_t> shape) {
  graph::GraphTensor w{
      .name = "weights", .shape = std::move(shape), .quant = graph::Quant{{0.01}, {0}, -1}};
  w.data = std::vector<uint8_t>(static_cast<size_t>(w.count()), 1);
  return g.AddTensor(std::move(w));
}

// One node of |op| over x, an image of 16 channels and 8x8 (a row of 16 for dense); of a
// convolution's result with |after_conv|.
Graph Sample(Op op, bool after_conv) {
  Graph g{.name = "sample"};
  const bool row = op == Op::kDense || op == Op::kSoftmax;
  std::vector<int64_t> in = row ? std::vector<int64_t>{1, 16} : std::vector<int64_t>{1, 16, 8, 8},
                       out = in;
  const bool from_float = op == Op::kQuantize, to_float = op == Op::kDequantize;
  TensorId x = Activation(g, "x", in, kScale, from_float ? DType::kFloat32 : DType::kInt8);
  g.inputs = {x};
  if (after_conv) {
    Node conv{.op = Op::kConv,
              .name = "conv",
              .inputs = {x, Weights(g, {16, 16, 1, 1})},
              .round = isa::Round::kTflite};
    x = conv.output = Activation(g, "sum", in);
    g.nodes.push_back(conv);
  }
  Node node{.op = op, .name = "sample", .inputs = {x}, .round = isa::Round::kTflite};
  graph::Quant quant = kScale;
  switch (op) {
    case Op::kConv:
      node.inputs.push_back(Weights(g, {16, 16, 3, 3}));
      node.window.kernel = {3, 3};
      node.window.pad_before = node.window.pad_after = {1, 1};
      break;
    case Op::kDense:
      node.inputs.push_back(Weights(g, {16, 16}));
      break;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kConcat:
      node.inputs.push_back(
          Activation(g, "y", in, op == Op::kConcat ? kScale : graph::Quant{{0.125}, {-5}, -1}));
      g.inputs.push_back(node.inputs[1]);
      if (op == Op::kConcat) node.axis = 1, out[1] = 32;
      break;
    case Op::kAvgPool:
    case Op::kMaxPool:
      node.window.kernel = node.window.stride = {2, 2};
      out = {1, 16, 4, 4};
      break;
    case Op::kMean:
      out = {1, 16, 1, 1};
      break;
    case Op::kRescale:
      quant = {{0.5}, {0}, -1};
      break;
    case Op::kReshape:
      out = {1, 1024};
      break;
    case Op::kTranspose:
      node.perm = {0, 2, 3, 1};
      out = {1, 8, 8, 16};
      break;
    case Op::kPad:
      node.pads = {{0, 0}, {0, 0}, {1, 1}, {1, 1}};
      out = {1, 16, 10, 10};
      break;
    case Op::kSoftmax:
      quant = {{1.0 / 256}, {-128}, -1};
      break;
    case Op::kQuantize:
    case Op::kDequantize:
      break;
  }
  node.output = Activation(g, "z", out, quant, to_float ? DType::kFloat32 : DType::kInt8);
  g.outputs = {node.output};
  g.nodes.push_back(node);
  const Status attached = quantize::AttachRequant(g);
  TESSERA_CHECK(attached.has_value(), "{}", attached.error().message);
  const Status valid = graph::Verify(g);
  TESSERA_CHECK(valid.has_value(), "{}", valid.error().message);
  return g;
}

// Whether the accelerator takes region |index| of |g|.
Status Accelerator(const Graph& g, const graph::Region& region) {
  for (const TensorId id : region.inputs) {
    if (g.tensor(id).dtype != DType::kInt8) return Fail(Code::kUnsupported, "floats");
  }
  if (g.tensor(region.output).dtype != DType::kInt8) return Fail(Code::kUnsupported, "floats");
  return codegen::accel::CheckRegion(BindRegion(te::BuildRegion(g, region)),
                                     *isa::LoadConfig("default"));
}

std::string Row(const DocRow& row) {
  const Graph alone = Sample(row.op, false);
  const graph::Region region = graph::Fuse(alone)[0];
  const bool host = MakeHostFunc(te::BuildRegion(alone, region), "sample").has_value();
  const bool accelerator = Accelerator(alone, region).has_value();
  std::string joined = "no";
  if (graph::CategoryOf(row.op) == graph::Category::kElementwise && row.op != Op::kQuantize &&
      row.op != Op::kDequantize) {
    const Graph pair = Sample(row.op, true);
    const std::vector<graph::Region> regions = graph::Fuse(pair);
    if (regions.size() == 1) joined = Accelerator(pair, regions[0]) ? "yes" : "on the host";
  }
  const auto type = [](DType dtype) { return dtype == DType::kFloat32 ? "float32" : "int8"; };
  return fmt::format("| {} | {} to {} | {} | {} | {} | {} |\n", graph::Text(row.op),
                     type(alone.tensor(alone.nodes[0].inputs[0]).dtype),
                     type(alone.tensor(alone.outputs[0]).dtype), host ? "yes" : "no",
                     accelerator              ? "yes"
                     : row.op == Op::kReshape ? "when it only renames extents"
                                              : "no",
                     joined, row.meaning);
}

}  // namespace
}  // namespace tessera::compiler

int main() {
  using namespace tessera;  // NOLINT: one function
  std::string text =
      "# Operators\n\n"
      "This page is printed by `operators_doc` (compiler/driver/operators_doc.cc), which asks the "
      "compiler; run\n"
      "`cmake --build build -t regenerate`. The accelerator's column is of configuration `default` "
      "and a small image; shapes that do not\n"
      "fit a configuration's scratchpads are refused with the scratchpad's name. *Joins*: runs as "
      "the epilogue of a convolution, dense\n"
      "layer or pool in front of it, without a pass through memory. What only the host takes may "
      "stand before or after the accelerator's\n"
      "run, not in between.\n\n"
      "| operator | data types | cpu | accelerator | joins | meaning "
      "|\n|---|---|---|---|---|---|\n";
  for (const auto& row : compiler::kOps) text += compiler::Row(row);
  const auto list = [](std::string names) {
    std::string out = "`";
    for (const char c : names) c == ' ' ? out += "`, `" : out += c;
    return out + "`";
  };
  text +=
      "\nActivations are int8 with one scale and zero point a tensor (uint8 in ONNX becomes int8 "
      "by -128); weights are int8 with one\n"
      "scale a tensor or an output channel and no zero points; biases are int32. ReLU, ReLU6, clip "
      "become bounds of the operator in\n"
      "front of them.\n\n## From files\n\n**ONNX** (QDQ), requantised half to even: " +
      list(OnnxOperators()) +
      "\n\n**TFLite**, requantised as its reference kernels do (rationale/tflite.md): " +
      list(TfliteOperators()) + "\n";
  std::fputs(text.c_str(), stdout);
  return 0;
}
