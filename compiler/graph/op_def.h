// SPDX-License-Identifier: Apache-2.0
//
// OpDef: all that the compiler knows of one operator, written down in one file of compiler/ops and
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

// When an operator of ONNX over dequantised values is one on integers.
enum class OnnxWhen : uint8_t {
  kQuantised,  // its result is quantised too
  kAlways,     // its result has the scale of its operand
  kNever,
};
// An operator of ONNX that becomes this one.
struct OnnxRow {
  std::string_view type;  // "GlobalAveragePool"
  Status (*convert)(onnx_model::QdqConverter& to, const onnx_model::OnnxNode& from);
  size_t operands = 1;  // the first inputs, which all have to be dequantised for that
  OnnxWhen when = OnnxWhen::kQuantised;
};
// An operator of TFLite, which has from |least| to |most| inputs and from one to |results| results,
// or none.
// |convert| is called while the converter is at such an operator.
struct TfliteRow {
  std::string_view type;  // as in the schema: "CONV_2D"
  size_t least, most;
  Status (*convert)(tflite_model::Converter& to);
  size_t results = 1;
};

// Element types of the first operand and of the result that go together. Other operands have the
// first one's; weights and biases are the shape rule's.
struct TypePair {
  DType from = DType::kInt8, to = DType::kInt8;
  bool operator==(const TypePair&) const = default;
};
inline constexpr TypePair kInt8Types[] = {{DType::kInt8, DType::kInt8}};
inline constexpr TypePair kAllTypes[] = {{DType::kInt8, DType::kInt8},
                                         {DType::kFloat32, DType::kFloat32},
                                         {DType::kFloat16, DType::kFloat16}};
// The same, and int16, where TFLite's kernels take it ("16x8").
inline constexpr TypePair kWideTypes[] = {{DType::kInt8, DType::kInt8},
                                          {DType::kFloat32, DType::kFloat32},
                                          {DType::kFloat16, DType::kFloat16},
                                          {DType::kInt16, DType::kInt16}};
// Elements that an operator only moves are of any type; numbers that it computes with are not bool.
inline constexpr TypePair kAnyTypes[] = {
    {DType::kInt8, DType::kInt8},       {DType::kFloat32, DType::kFloat32},
    {DType::kFloat16, DType::kFloat16}, {DType::kInt32, DType::kInt32},
    {DType::kInt64, DType::kInt64},     {DType::kUint8, DType::kUint8},
    {DType::kInt16, DType::kInt16},     {DType::kBool, DType::kBool}};
inline constexpr std::span<const TypePair> kNumberTypes{kAnyTypes, 7};

// Plain values alone: no int8 that stands for a real number.
inline constexpr TypePair kPlainTypes[] = {
    {DType::kFloat32, DType::kFloat32}, {DType::kFloat16, DType::kFloat16},
    {DType::kInt32, DType::kInt32},     {DType::kInt64, DType::kInt64},
    {DType::kUint8, DType::kUint8},     {DType::kInt16, DType::kInt16},
    {DType::kInt8, DType::kInt8},       {DType::kBool, DType::kBool}};
inline constexpr std::span<const TypePair> kPlainNumbers{kPlainTypes, 7};
inline constexpr std::span<const TypePair> kPlainFloats{kPlainTypes, 2};

// Categories drive fusion.
enum class Category : uint8_t {
  kElementwise,  // each element of the result from the same element of each operand
  kInjective,    // from one element of one operand, anywhere
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
  // All that it takes; a pair with an operand's type for each, the usual result first. By default
  // an int8 operator. What it computes on floats is computed in float32 (rationale/floats.md).
  std::span<const TypePair> types = kInt8Types;

  // The shape of the result, or why the operands make none. Nothing: that of the first operand,
  // which all operands have.
  Result<Shape> (*shape)(const NodeCheck& node) = nullptr;
  // What else has to hold, about scales say.
  Status (*check)(const NodeCheck& node) = nullptr;
  // Whether attributes are of the operator's type. Nothing: it has none.
  bool (*attributes)(const Attributes& attributes) = nullptr;
  // Attributes as a printed graph shows them, with a blank in front.
  std::string (*text)(const Node& node) = nullptr;
  // Multiply-accumulates of one inference. Nothing: 0.
  int64_t (*macs)(const Graph& graph, const Node& node) = nullptr;

  // The quantisation rule: fills in |requant|, whose rounding, bounds and output zero point are
  // set. Nothing: there is nothing to requantise.
  Status (*requant)(const Graph& graph, const Node& node, Requant& requant) = nullptr;
  // What each element of the result is: sets the value of node.output.
  void (*body)(te::RegionBuilder& b, const Node& node) = nullptr;

  std::span<const OnnxRow> onnx;
  std::span<const TfliteRow> tflite;

  // Completes |example|, a node of this operator over one operand, for the documentation and for
  // random networks. Nothing: as many operands of one shape as |least|,
  // no attributes, a scale of the result's own.
  void (*example)(Example& example) = nullptr;
};

// A maker of OpDef::attributes.
template <typename T>
bool Fits(const Attributes& attributes) {
  return attributes.Fit<T>();
}

const OpDef& DefOf(Op op);
// Whether |def| makes |to| of |from|.
bool Takes(const OpDef& def, DType from, DType to);
// The usual result of an operand of type |from|; int8 where the operator does not take it.
DType ResultType(const OpDef& def, DType from);
// All, by number.
std::span<const OpDef* const> AllOps();
// Operators of ONNX that become several of these.
std::span<const OnnxRow> ComposedOnnx();
std::span<const TfliteRow> ComposedTflite();  // and of TFLite

}  // namespace tessera::graph

#endif  // TESSERA_COMPILER_GRAPH_OP_DEF_H_
