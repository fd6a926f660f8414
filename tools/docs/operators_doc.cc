// SPDX-License-Identifier: Apache-2.0
//
// Prints docs/operators.md: the graph's operators by data type and device. What a device takes is
// asked of the compiler with a small network of each operator, so that the page cannot promise what
// is not there.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "base/check.h"
#include "compiler/driver/host_func.h"
#include "compiler/graph/example.h"
#include "compiler/graph/fuse.h"
#include "compiler/graph/op_def.h"
#include "compiler/graph/passes.h"
#include "compiler/import/onnx.h"
#include "compiler/import/tflite.h"
#include "compiler/network/layers.h"
#include "compiler/quantize/params.h"

namespace tessera::compiler {
namespace {

using graph::Graph;
using graph::Op;
using graph::TensorId;

const graph::Shape kImage{1, 16, 8, 8};
const graph::Quant kScale{{0.25}, {3}, -1}, kOther{{0.125}, {-5}, -1};

// |quant| for a tensor of |dtype| in a sample; |scaled|: its integers stand for real numbers.
std::optional<graph::Quant> QuantIn(bool scaled, DType dtype, const graph::Quant& quant) {
  return scaled ? graph::QuantFor(dtype, quant) : std::nullopt;
}

TensorId Activation(Graph& g, const std::string& name, std::vector<int64_t> shape,
                    const graph::Quant& quant, DType dtype, bool scaled) {
  return g.AddTensor({.name = name,
                      .dtype = dtype,
                      .shape = std::move(shape),
                      .quant = QuantIn(scaled, dtype, quant)});
}

// One node of |op| over x, of |shape|; of a convolution's result with |after_conv|. |scaled|: its
// integers stand for real numbers.
//   errors  kInvalidArgument  the operator takes no such operand
Result<Graph> SampleOf(Op op, const graph::Shape& shape, bool after_conv,
                       const graph::TypePair& types, bool scaled) {
  Graph g{.name = "sample"};
  TensorId x = Activation(g, "x", shape, kScale, types.from, scaled);
  g.inputs = {x};
  const auto sample = [&](Op of, TensorId operand, const char* name,
                          const graph::Quant& own) -> Result<TensorId> {
    graph::Example example{
        .graph = g,
        .draw = [](int64_t least, int64_t) { return least; },
        .another =
            [&](bool same) {
              g.inputs.push_back(
                  Activation(g, "y", shape, same ? kScale : kOther, types.from, scaled));
              return g.inputs.back();
            },
        .node = {.op = of, .name = name, .inputs = {operand}, .round = isa::Round::kTflite}};
    TESSERA_TRY(graph::Complete(example, own));
    g.nodes.push_back(example.node);
    return example.node.output;
  };
  if (after_conv) {
    TESSERA_ASSIGN(x, sample(Op::kConv, x, "conv", kScale));
  }
  TESSERA_ASSIGN(const TensorId z, sample(op, x, "sample", {{0.5}, {0}, -1}));
  graph::GraphTensor& result = g.tensor(z);
  result.dtype = types.to;
  result.quant = QuantIn(scaled, types.to, result.quant.value_or(kScale));
  g.outputs = {z};
  TESSERA_TRY(graph::Verify(g));
  TESSERA_TRY(quantize::AttachRequant(g));
  return g;
}

// The same over an image of 16 channels and 8x8, or over a row where the operator takes no image;
// of plain integers where it takes no others.
Graph Sample(Op op, const graph::TypePair& types) {
  Result<Graph> g;
  for (const bool scaled : {true, false}) {
    for (const graph::Shape& shape : {kImage, graph::Shape{1, 16}}) {
      g = SampleOf(op, shape, false, types, scaled);
      if (g) return std::move(*g);
    }
  }
  TESSERA_CHECK(g.has_value(), "{}", g.error().message);
  return *g;
}

// "int8, float32 to int8", or that it is any.
std::string TypesText(const graph::OpDef& def) {
  if (def.types.size() == kDTypes.size() * kDTypes.size()) return "any to any";
  std::string text;
  for (const graph::TypePair& pair : def.types) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", Text(pair.from));
    if (pair.from != pair.to) text += fmt::format(" to {}", Text(pair.to));
  }
  return text;
}

// Whether the accelerator takes region |index| of |g|.
Status Accelerator(const Graph& g, const graph::Region& region) {
  const auto is_int8 = [&](TensorId id) {
    return g.tensor(id).dtype == DType::kInt8 && g.tensor(id).quant;
  };
  if (!std::ranges::all_of(region.inputs, is_int8) || !is_int8(region.output))
    return Fail(Code::kUnsupported, "other types than int8");
  const network::Layers layers(g, *isa::LoadConfig("default"));
  const auto& plan = layers.Check(region);
  if (!plan) return std::unexpected(plan.error());
  return {};
}

std::string Row(Op op) {
  const graph::OpDef& def = graph::DefOf(op);
  bool host = true;
  for (const graph::TypePair& pair : def.types) {
    const Graph g = Sample(op, pair);
    host =
        host && MakeHostFunc(te::BuildRegion(g, graph::Fuse(g).back()), "sample", {}).has_value();
  }
  Graph alone = Sample(op, def.types[0]);
  graph::MergeBatches(alone);
  const std::vector<graph::Region> parts = graph::Fuse(alone);
  const auto region = std::ranges::find_if(parts, [&](const graph::Region& part) {
    return std::ranges::any_of(part.nodes, [&](size_t n) { return alone.nodes[n].op == op; });
  });
  const bool accelerator = Accelerator(alone, *region).has_value();
  std::string joined = "no";
  if (def.category == graph::Category::kElementwise &&
      graph::Takes(def, DType::kInt8, DType::kInt8)) {
    const Result<Graph> pair = SampleOf(op, kImage, true, {}, true);  // none: of plain values alone
    const std::vector<graph::Region> regions =
        pair ? graph::Fuse(*pair) : std::vector<graph::Region>{};
    if (regions.size() == 1) joined = Accelerator(*pair, regions[0]) ? "yes" : "on the host";
  }
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", def.name, TypesText(def),
                     host ? "yes" : "no",
                     accelerator          ? "yes"
                     : op == Op::kReshape ? "when it only renames extents"
                                          : "no",
                     joined, def.meaning);
}

}  // namespace
}  // namespace tessera::compiler

int main() {
  using namespace tessera;  // NOLINT: one function
  std::string text =
      "# Operators\n\n"
      "This page is printed by `operators_doc` (tools/docs/operators_doc.cc), which asks the "
      "compiler; run\n"
      "`cmake --build build -t regenerate`. The accelerator's column is of configuration `default` "
      "and a small image; shapes that do not\n"
      "fit a configuration's scratchpads are refused with the scratchpad's name. *Joins*: runs as "
      "the epilogue of a convolution, dense\n"
      "layer or pool in front of it, without a pass through memory. The accelerator's columns are "
      "of "
      "int8; other types run on the host,\n"
      "before, behind or between what the accelerator runs.\n\n"
      "| operator | data types | cpu | accelerator | joins | meaning "
      "|\n|---|---|---|---|---|---|\n";
  for (size_t op = 0; op < graph::AllOps().size(); ++op)
    text += compiler::Row(static_cast<graph::Op>(op));
  const auto list = [](std::string names) {
    std::string out = "`";
    for (const char c : names) c == ' ' ? out += "`, `" : out += c;
    return out + "`";
  };
  text +=
      "\nIntegers, floats and bools without a scale are *plain*: they are what they are. What a "
      "model computes of constants alone, shapes say, is computed\n"
      "when it is read. "
      "Int8 activations have one scale and zero point a tensor (uint8 of files becomes int8 by "
      "-128); their weights are int8 with one\n"
      "scale a tensor or an output channel and no zero points, or int16 on the host, their biases "
      "int32; their results "
      "are requantised. Int16 activations (TFLite's \"16x8\") have zero point 0, weights of int8 "
      "and "
      "biases of int32 or int64, on the host. ReLU, ReLU6, clip\n"
      "become bounds of the operator in front of them.\n\n"
      "Float32 and float16 operators compute in float32: elements are widened, sums run in the "
      "order of the definition, and the result is\n"
      "rounded once to its type, to nearest even (rationale/floats.md). Weights and biases have "
      "the "
      "type of the operand.\n\n"
      "## From files\n\n**ONNX**. Between DequantizeLinear and QuantizeLinear an operator is one "
      "on int8, requantised half to even; any other\n"
      "is one on plain values; QLinear operators are what they stand for: " +
      list(OnnxOperators()) +
      ". NonMaxSuppression\n"
      "gives as many rows as there may be, those that are not used hold -1" +
      "\n\n**TFLite**, requantised as its reference kernels do (rationale/tflite.md): " +
      list(TfliteOperators()) + "\n";
  std::fputs(text.c_str(), stdout);
  return 0;
}
