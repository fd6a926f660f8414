// SPDX-License-Identifier: Apache-2.0
//
// Functions of one value, element by element. A table with an entry for each value, 256 of int8 and
// 65536 of int16, made at compile time, is their exact meaning. Internal to compiler/ops.
#ifndef TESSERA_COMPILER_OPS_LOOKUP_H_
#define TESSERA_COMPILER_OPS_LOOKUP_H_

#include <functional>

#include "compiler/ops/unit.h"

namespace tessera::ops {

// Fills requant.table with clamp(value(q) + zero point of the result, lo, hi).
Status FillTable(const Graph& graph, const Node& node, Requant& requant,
                 const std::function<int64_t(int32_t q)>& value);
// From f over real numbers: computed in double, quantised half to even.
Status RealTable(const Graph& graph, const Node& node, Requant& requant,
                 const std::function<double(double)>& f);
// As TFLite fills its tables: everything in float32, rounded half away from zero.
Status SingleTable(const Graph& graph, const Node& node, Requant& requant,
                   const std::function<float(float)>& f);
// Of int16 by the kernel's |lines| (quantize/lines16.h).
Status LinesTable(const Graph& graph, const Node& node, Requant& requant,
                  int16_t (*lines)(int16_t q, float scale));
// The table's entry; of floats |real|, a float32 expression.
void LookupBody(RegionBuilder& b, const Node& node, const std::function<Expr(Expr x)>& real);

// |made| without operands, over the operator's first.
Status UnaryFromOnnx(QdqConverter& c, const OnnxNode& node, Node made);
Status UnaryFromTflite(Converter& c, Node made);

}  // namespace tessera::ops

#endif  // TESSERA_COMPILER_OPS_LOOKUP_H_
