// SPDX-License-Identifier: Apache-2.0
//
// OpDef: everything the compiler knows about one operator, defined in one file of compiler/ops and
// found by its number. Functions take types of higher folders by reference only: this header
// depends on graph.h alone. Used by: every part of the compiler that treats operators one by one.
#ifndef TESSERA_COMPILER_GRAPH_OP_DEF_H_
#define TESSERA_COMPILER_GRAPH_OP_DEF_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compiler/graph/graph.h"

namespace tessera::te {
class RegionBuilder;
}
namespace tessera::onnx_model {
class QdqConverter;
struct OnnxNode;
}  // namespace tessera::onnx_model
namespace tessera::tflite_model {
class Converter;
}

namespace tessera::graph {

class NodeCheck;
struct Example;

// The condition under which an ONNX operator over dequantised values is computed on integers.
enum class OnnxWhen : uint8_t {
  kQuantised,  // its result is quantised too
  kAlways,     // its result has the scale of its operand
  kNever,
};
// An ONNX operator that becomes this operator.
struct OnnxRow {
  std::string_view type;  // "GlobalAveragePool"
  Status (*convert)(onnx_model::QdqConverter& to, const onnx_model::OnnxNode& from);
  size_t operands = 1;  // so many first inputs must be dequantised for that
  OnnxWhen when = OnnxWhen::kQuantised;
};
// A TFLite operator, with |least| to |most| inputs and at most |results| results. |convert| is
// called while the converter is at such an operator.
struct TfliteRow {
  std::string_view type;  // as in the schema: "CONV_2D"
  size_t least, most;
  Status (*convert)(tflite_model::Converter& to);
  size_t results = 1;
};

// Allowed pairs of element types: the first operand's and the result's. Other operands have the
// first one's type; the shape rule checks weights and biases.
struct TypePair {
  DType from = DType::kInt8, to = DType::kInt8;
  bool operator==(const TypePair&) const = default;
};
inline constexpr TypePair kInt8Types[] = {{DType::kInt8, DType::kInt8}};
inline constexpr TypePair kAllTypes[] = {{DType::kInt8, DType::kInt8},
                                         {DType::kFloat32, DType::kFloat32},
                                         {DType::kFloat16, DType::kFloat16}};
// The same, plus int16, which TFLite's kernels take ("16x8").
inline constexpr TypePair kWideTypes[] = {{DType::kInt8, DType::kInt8},
                                          {DType::kFloat32, DType::kFloat32},
                                          {DType::kFloat16, DType::kFloat16},
                                          {DType::kInt16, DType::kInt16}};
// Operators that only move elements take any type; operators that compute take all but bool.
inline constexpr TypePair kAnyTypes[] = {
    {DType::kInt8, DType::kInt8},       {DType::kFloat32, DType::kFloat32},
    {DType::kFloat16, DType::kFloat16}, {DType::kInt32, DType::kInt32},
    {DType::kInt64, DType::kInt64},     {DType::kUint8, DType::kUint8},
    {DType::kInt16, DType::kInt16},     {DType::kBool, DType::kBool}};
inline constexpr std::span<const TypePair> kNumberTypes{kAnyTypes, 7};

// Plain values only: no int8 that stands for a real number.
inline constexpr TypePair kPlainTypes[] = {
    {DType::kFloat32, DType::kFloat32}, {DType::kFloat16, DType::kFloat16},
    {DType::kInt32, DType::kInt32},     {DType::kInt64, DType::kInt64},
    {DType::kUint8, DType::kUint8},     {DType::kInt16, DType::kInt16},
    {DType::kInt8, DType::kInt8},       {DType::kBool, DType::kBool}};
inline constexpr std::span<const TypePair> kPlainNumbers{kPlainTypes, 7};
inline constexpr std::span<const TypePair> kPlainFloats{kPlainTypes, 2};

// Categories drive fusion.
enum class Category : uint8_t {
  kElementwise,  // each element from the same element of each operand
  kInjective,    // each element from one element of one operand, anywhere
  kReduction,    // from many; elementwise consumers may join its result
  kComplex,      // a contraction; elementwise consumers may join its result
  kOpaque,       // nothing joins
};

struct OpDef {
  std::string_view name;  // in printed graphs and tables
  // One line of docs/operators.md.
  std::string_view meaning;
  Category category = Category::kElementwise;
  size_t least = 1, most = 1;  // operands
  // All supported types; of the pairs with an operand's type, the first gives the default result.
  // By default int8 only. Floats are computed in float32 (rationale/floats.md).
  std::span<const TypePair> types = kInt8Types;

  // The shape of the result, or why the operands are invalid. Null: all operands have one shape,
  // and the result has it too.
  Result<Shape> (*shape)(const NodeCheck& node) = nullptr;
  // Further conditions, for example on scales.
  Status (*check)(const NodeCheck& node) = nullptr;
  // Whether the attributes have the operator's type. Null: it has no attributes.
  bool (*attributes)(const Attributes& attributes) = nullptr;
  // The attributes as text for a printed graph, with a leading blank.
  std::string (*text)(const Node& node) = nullptr;
  // Multiply-accumulates of one inference. Null: 0.
  int64_t (*macs)(const Graph& graph, const Node& node) = nullptr;

  // The quantisation rule: fills in |requant|, whose rounding, bounds and output zero point are
  // already set. Null: the operator has nothing to requantise.
  Status (*requant)(const Graph& graph, const Node& node, Requant& requant) = nullptr;
  // Defines each element of the result: sets the value of node.output.
  void (*body)(te::RegionBuilder& b, const Node& node) = nullptr;

  std::span<const OnnxRow> onnx;
  std::span<const TfliteRow> tflite;

  // Completes |example|, a node of this operator with one operand, for the documentation and for
  // random networks. Null: |least| operands of one shape, no attributes, and a free result scale.
  void (*example)(Example& example) = nullptr;
};

// A function for OpDef::attributes.
template <typename T>
bool Fits(const Attributes& attributes) {
  return attributes.Fit<T>();
}

const OpDef& DefOf(Op op);
// Whether |def| takes operands of type |from| with a result of type |to|.
bool Takes(const OpDef& def, DType from, DType to);
// The default result type for an operand of type |from|; int8 if the operator does not take it.
DType ResultType(const OpDef& def, DType from);
// All operators, by number.
std::span<const OpDef* const> AllOps();
// ONNX operators that become several operators of the graph.
std::span<const OnnxRow> ComposedOnnx();
std::span<const TfliteRow> ComposedTflite();  // the same for TFLite

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_OP_DEF_H_
