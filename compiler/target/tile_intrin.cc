// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/tile_intrin.h"

#include <iterator>
#include <mutex>

#include "compiler/target/tile_math.h"
#include "isa/memories.h"

namespace tessera::target {
namespace {

void Bound(TensorIntrin& intrin, const Expr& value, int64_t lo, int64_t hi, const char* name) {
  intrin.conditions.push_back({ir::And(ir::Le(Expr(lo), ir::Cast(DType::kInt64, value)),
                                       ir::Le(ir::Cast(DType::kInt64, value), Expr(hi))),
                               fmt::format("{} is not in {} to {}", name, lo, hi)});
}

}  // namespace

void Int8Source::Limit(TensorIntrin& intrin) const {
  Bound(intrin, zero, -128, 127, "the source's zero point");
  Bound(intrin, shift, 0, 31, "the source's shift");
}

void Int8Result::Limit(TensorIntrin& intrin) const {
  Bound(intrin, zero, -128, 127, "the result's zero point");
  Bound(intrin, lo, -128, 127, "the result's lower bound");
  Bound(intrin, hi, -128, 127, "the result's upper bound");
  intrin.conditions.push_back({ir::Le(lo, hi), "the result's bounds leave nothing"});
}

std::vector<ir::Scope> VectorScopes(DType dtype) {
  if (dtype == DType::kInt32) return {ir::Scope::kAcc};
  return {ir::Scope::kOut, ir::Scope::kInp};
}

TensorIntrin WithTable(TensorIntrin intrin, std::string name, const char* call) {
  const te::Tensor table = te::Placeholder("tab", DType::kInt8, {kTableEntries});
  const te::TensorNode& plain = *intrin.behaviour.get();
  std::vector<std::string> axes;
  for (const ir::Axis& axis : plain.axes) axes.push_back(axis.name());
  intrin.behaviour = te::Compute("dst", plain.shape, axes, [&](const std::vector<Expr>& i) {
    ir::VarMap values;
    for (size_t d = 0; d < i.size(); ++d) values[plain.axes[d].var.get()] = i[d];
    return table(EntryOf(ir::Substitute(plain.body, values)));
  });
  intrin.name = std::move(name);
  intrin.call = call;
  intrin.scopes.push_back({"tab", {ir::Scope::kTab}});
  return intrin;
}

int64_t RecordNumbers(const isa::Config& config) {
  return std::ssize(isa::kRecordFields) * config.block_out;
}

const std::vector<TileInstruction>& TileInstructions() {
  static const std::vector<TileInstruction> all{CopyTiles(),    GemmTiles(), WindowTiles(),
                                                RequantTiles(), AddTiles(),  AluTiles()};
  return all;
}

const TileCall* FindTileCall(const std::string& name) {
  for (const TileInstruction& i : TileInstructions()) {
    for (const TileCall& call : i.calls) {
      if (call.meaning.name == name) return &call;
    }
  }
  return nullptr;
}

std::optional<LoadedTile> LoadedBy(const ir::Stmt& s) {
  if (s->kind != ir::StmtKind::kEval) return std::nullopt;
  const TileCall* call = FindTileCall(s->value->name);
  if (call == nullptr || !call->loads) return std::nullopt;
  return LoadedTile{.from = s->value->args[1]->buffer, .to = s->value->args[0]->buffer};
}

void RegisterTileIntrinsics() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (const TileInstruction& i : TileInstructions()) {
      for (const TileCall& call : i.calls) ir::RegisterTileIntrin(call.meaning);
    }
  });
}

}  // namespace tessera::target
