// SPDX-License-Identifier: Apache-2.0
//
// The list of operators by number: the rows of graph/ops.def with their definitions.
#include <algorithm>
#include <vector>

#include "compiler/ops/composed.h"
#include "compiler/ops/unit.h"

namespace tessera {
namespace {

constexpr const graph::OpDef* kDefs[] = {
#define OP(name, file) &ops::file##_op::k##name##Def,
#include "compiler/graph/ops.def"
};

std::vector<graph::OnnxRow> Composed() {
  std::vector<graph::OnnxRow> rows;
  for (const auto part :
       {ops::NormalizationRows(), ops::MovementRows(), ops::RecurrentRows(), ops::BoxRows()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

std::vector<graph::TfliteRow> ComposedOfTflite() {
  std::vector<graph::TfliteRow> rows;
  for (const auto part :
       {ops::DetectionRows(), ops::TflitePartRows(), ops::TfliteBlockRows(),
        ops::TfliteNumberRows(), ops::TfliteConstantRows(), ops::TfliteMovementRows(),
        ops::TfliteNormalizationRows(), ops::TfliteStateRows()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace

std::span<const graph::TfliteRow> graph::ComposedTflite() {
  static const std::vector<TfliteRow> rows = ComposedOfTflite();
  return rows;
}

std::span<const graph::OnnxRow> graph::ComposedOnnx() {
  static const std::vector<OnnxRow> rows = Composed();
  return rows;
}

const graph::OpDef& graph::DefOf(Op op) { return *kDefs[static_cast<size_t>(op)]; }
std::span<const graph::OpDef* const> graph::AllOps() { return kDefs; }

bool graph::Takes(const OpDef& def, DType from, DType to) {
  return std::ranges::count(def.types, TypePair{from, to}) > 0;
}

DType graph::ResultType(const OpDef& def, DType from) {
  const auto found = std::ranges::find(def.types, from, &TypePair::from);
  return found == def.types.end() ? DType::kInt8 : found->to;
}

}  // namespace tessera
