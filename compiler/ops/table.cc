// SPDX-License-Identifier: Apache-2.0
//
// A function of one int8 value that no file has: a pass makes it of several operators
// (network/fold_tables.h).
#include "compiler/ops/lookup.h"

namespace tessera::ops::table_op {
namespace {

using graph::TableAttributes;

Status Check(const NodeCheck& node) {
  const size_t entries = node.node.As<TableAttributes>().values.size();
  if (entries == 256) return {};
  return node.Bad("a table of {} values; an int8 operand needs 256, one for each value", entries);
}

Status RequantOf(const Graph&, const Node& node, Requant& requant) {
  const std::vector<int8_t>& values = node.As<TableAttributes>().values;
  requant.table.assign(values.begin(), values.end());
  return {};
}

void Body(RegionBuilder& b, const Node& node) {
  LookupBody(b, node, [](const Expr& x) { return x; });
}

// Another order of the values: 3 and 256 have no common factor.
void MakeExample(Example& example) {
  TableAttributes table;
  for (int q = 0; q < 256; ++q) table.values.push_back(static_cast<int8_t>(3 * q + 17));
  example.node.attributes = std::move(table);
}

}  // namespace

constinit const OpDef kTableDef = {
    .name = "table",
    .meaning = "a function of one int8 value that several operators compute together",
    .check = Check,
    .attributes = graph::Fits<TableAttributes>,
    .requant = RequantOf,
    .body = Body,
    .example = MakeExample,
};

}  // namespace tessera::ops::table_op
