// SPDX-License-Identifier: Apache-2.0
//
// The operators by number: graph/ops.def with the definitions that its files hold.
#include "compiler/ops/unit.h"

namespace tessera {
namespace {

constexpr const graph::OpDef* kDefs[] = {
#define OP(name, file) &ops::k##name##Def,
#include "compiler/graph/ops.def"
};

}  // namespace

const graph::OpDef& graph::DefOf(Op op) { return *kDefs[static_cast<size_t>(op)]; }
std::span<const graph::OpDef* const> graph::AllOps() { return kDefs; }

}  // namespace tessera
