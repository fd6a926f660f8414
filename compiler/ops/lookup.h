// SPDX-License-Identifier: Apache-2.0
//
// Functions of one value, element by element. A table made at compile time defines them exactly:
// 256 entries for int8, 65536 for int16. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_LOOKUP_H_
#define TESSERA_COMPILER_OPS_LOOKUP_H_

#include <functional>

#include "compiler/ops/unit.h"

namespace tessera::ops {

// Fills requant.table with clamp(value(q) + zero point of the result, lo, hi).
Status FillTable(const Graph& graph, const Node& node, Requant& requant,
                 const std::function<int64_t(int32_t q)>& value);
// Fills the table from f as ONNX defines it between DequantizeLinear and QuantizeLinear: operand,
// result and their quotients by the scales are float32, quantised half to even. f itself is
// computed in double and rounded once.
Status RealTable(const Graph& graph, const Node& node, Requant& requant,
                 const std::function<double(double)>& f);
// Fills the table as TFLite does: all in float32, rounded half away from zero.
Status SingleTable(const Graph& graph, const Node& node, Requant& requant,
                   const std::function<float(float)>& f);
// Fills the table of an int16 operator with the kernel's |lines| (quantize/lines16.h).
Status LinesTable(const Graph& graph, const Node& node, Requant& requant,
                  int16_t (*lines)(int16_t q, float scale));
// Looks the value up in the table; floats use |real|, a float32 expression.
void LookupBody(RegionBuilder& b, const Node& node, const std::function<Expr(Expr x)>& real);

// |made| has no operands yet: it gets the operator's first.
Status UnaryFromOnnx(QdqConverter& c, const OnnxNode& node, Node made);
Status UnaryFromTflite(Converter& c, Node made);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_LOOKUP_H_
