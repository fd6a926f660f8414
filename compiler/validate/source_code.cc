// SPDX-License-Identifier: Apache-2.0
//
// Compiles nests of loop IR so that they can run over symbols.
#include <algorithm>
#include <array>
#include <utility>

#include "compiler/ir/affine.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/visit.h"
#include "compiler/target/accelerator.h"
#include "compiler/target/tile_intrin.h"
#include "compiler/validate/source_run.h"

namespace tessera::validate {

using ir::ExprKind;
using ir::StmtKind;

namespace {

bool IsCall(const ir::Stmt& s) {
  return s->kind == StmtKind::kEval && s->value->kind == ExprKind::kCall;
}

}  // namespace

Result<SourceRun::TileCallCode> SourceRun::MakeCall(const ir::Expr& call,
                                                    const std::vector<ir::Expr>& vars) {
  struct Known {
    const char* name;
    TileOp op;
    bool looks_up = false;  // the last operand in memory is a table
  };
  static constexpr Known kOps[] = {{target::kTileLoad, TileOp::kLoad},
                                   {target::kTileFill, TileOp::kFill},
                                   {target::kTileStore, TileOp::kStore},
                                   {target::kTileGemm, TileOp::kGemm},
                                   {target::kTileWindow, TileOp::kWindow},
                                   {target::kTileRequant, TileOp::kRequant},
                                   {target::kTileRequantTab, TileOp::kRequant, true},
                                   {target::kTileRequantPrm, TileOp::kRequantRecord},
                                   {target::kTileRequantPrmTab, TileOp::kRequantRecord, true},
                                   {target::kTileAdd, TileOp::kAdd},
                                   {target::kTileAddTab, TileOp::kAdd, true},
                                   {target::kTileAlu, TileOp::kAlu},
                                   {target::kTileAluImm, TileOp::kAluNumber}};
  const auto known =
      std::ranges::find_if(kOps, [&](const Known& o) { return call->name == o.name; });
  if (known == std::end(kOps)) return Fail(Code::kUnsupported, "{} has no symbols", call->name);
  TileCallCode code{.op = known->op};
  for (const ir::Expr& arg : call->args) {
    if (known->looks_up && arg->kind == ExprKind::kLoad && arg->buffer->scope == ir::Scope::kTab) {
      code.table = arg->buffer;
      continue;
    }
    if (arg->kind != ExprKind::kLoad) {
      TESSERA_ASSIGN(IndexCode value, IndexCode::Make(arg, &loops_));
      code.varies.push_back(std::ranges::any_of(
          vars, [&](const ir::Expr& var) { return value.Uses(loops_.SlotOf(var)); }));
      code.values.push_back(std::move(value));
      continue;
    }
    const ir::Expr offset = ir::OffsetOf(*arg->buffer, arg->args);
    PlaceCode place{.buffer = arg->buffer};
    TESSERA_ASSIGN(place.offset, IndexCode::Make(offset, &loops_));
    if (arg->buffer->scope != ir::Scope::kGlobal)
      place.unit = target::TileElements(config_, arg->buffer);
    const ir::Linear form = ir::ToLinear(offset, {});
    place.affine = form.IsAffineIn(vars);
    for (const ir::Expr& var : vars) {
      const int64_t stride = form.CoeffOf(var);
      place.affine = place.affine && stride % place.unit == 0;
      place.strides.push_back(stride / place.unit);
    }
    code.places.push_back(std::move(place));
  }
  return code;
}

Result<std::vector<SourceRun::PartCode>> SourceRun::PartsOf(const std::vector<ir::Expr>& conditions,
                                                            const std::vector<ir::Expr>& vars) {
  std::vector<ir::Expr> parts;
  for (const ir::Expr& condition : conditions) ir::PartsOf(condition, &parts);
  std::vector<PartCode> made;
  for (const ir::Expr& part : parts) {
    PartCode& code = made.emplace_back();
    TESSERA_ASSIGN(code.code, IndexCode::Make(part, &loops_));
    for (size_t l = 0; l < vars.size(); ++l) {
      if (code.code.Uses(loops_.SlotOf(vars[l]))) code.level = l + 1;
    }
  }
  return made;
}

Result<const SourceRun::NestCode*> SourceRun::NestOf(const ir::Stmt& s) {
  if (const auto known = nests_.find(s.get()); known != nests_.end()) return known->second.get();
  std::unique_ptr<NestCode>& made = nests_[s.get()];
  auto nest = std::make_unique<NestCode>();
  std::vector<ir::Expr> vars;
  std::vector<ir::Expr> conditions;
  const ir::Stmt* at = &s;
  for (;; at = &(*at)->body[0]) {
    if ((*at)->kind == StmtKind::kIf && (*at)->body.size() == 1) {
      conditions.push_back((*at)->value);
    } else if ((*at)->kind == StmtKind::kFor && ir::IsImmEqual((*at)->min, 0)) {
      vars.push_back((*at)->var);
      nest->slots.push_back(loops_.SlotOf((*at)->var));
      TESSERA_ASSIGN(nest->extents.emplace_back(), IndexCode::Make((*at)->extent, &loops_));
    } else {
      break;
    }
  }
  // Extents are evaluated at the first iteration, so they must not use loops of the nest.
  for (const IndexCode& extent : nest->extents) {
    if (std::ranges::any_of(nest->slots, [&](size_t slot) { return extent.Uses(slot); }))
      return nullptr;
  }
  if (IsCall(*at)) {
    TESSERA_ASSIGN(nest->call, MakeCall((*at)->value, vars));
  } else if ((*at)->kind == StmtKind::kIf && (*at)->body.size() == 2 && IsCall((*at)->body[0]) &&
             IsCall((*at)->body[1])) {
    TESSERA_ASSIGN(nest->conditions, PartsOf({(*at)->value}, vars));
    TESSERA_ASSIGN(nest->call, MakeCall((*at)->body[0]->value, vars));
    TESSERA_ASSIGN(nest->otherwise, MakeCall((*at)->body[1]->value, vars));
  } else {
    return nullptr;
  }
  TESSERA_ASSIGN(nest->guards, PartsOf(conditions, vars));
  const TileCallCode& call = nest->call;
  nest->plain = nest->guards.empty() && nest->conditions.empty() &&
                std::ranges::all_of(call.places, &PlaceCode::affine);
  const size_t start = call.op == TileOp::kAlu ? 1 : 0;
  for (size_t v = 0; v < call.varies.size(); ++v) nest->plain &= v == start || !call.varies[v];
  // Only sums have a first step.
  const bool sums =
      call.op == TileOp::kGemm || call.op == TileOp::kWindow || call.op == TileOp::kAlu;
  nest->plain &= sums || start >= call.varies.size() || !call.varies[start];
  made = std::move(nest);
  return made.get();
}

}  // namespace tessera::validate
