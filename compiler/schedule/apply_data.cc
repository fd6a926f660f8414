// SPDX-License-Identifier: Apache-2.0
//
// The primitives that move or name data, and those that mark loops.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/layout.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/apply.h"
#include "compiler/schedule/tensor_intrin.h"

namespace tessera::schedule {
namespace {

Result<ir::Scope> ParseScope(const std::string& word) {
  for (int i = 0; i <= static_cast<int>(ir::Scope::kPrm); ++i) {
    if (word == ir::ScopeName(static_cast<ir::Scope>(i))) return static_cast<ir::Scope>(i);
  }
  return Fail(Code::kInvalidArgument,
              "no scope '{}'; there are global shared local reg inp wgt acc out prm", word);
}

// |body| with each read of |tensor| replaced by what fn makes of its indices.
ir::Expr ReplaceReads(const ir::Expr& body, const std::string& tensor,
                      const std::function<ir::Expr(const std::vector<ir::Expr>&)>& fn) {
  return ir::Rewrite(body, [&](const ir::Expr& e) {
    return e->kind == ir::ExprKind::kTensorRead && e->tensor->name == tensor ? fn(e->args) : e;
  });
}

std::shared_ptr<te::TensorNode> MakeTensor(const Stage& like, const std::string& name) {
  auto node = std::make_shared<te::TensorNode>();
  node->name = name;
  node->dtype = like.dtype;
  node->shape = like.shape;
  return node;
}

// Fresh variables for the axes of a stage that copies |like|.
std::vector<ir::Axis> CopyAxes(const Stage& like) {
  std::vector<ir::Axis> axes;
  for (size_t d = 0; d < like.shape.size(); ++d) {
    const std::string name = like.placeholder ? fmt::format("i{}", d) : like.axes[d].name();
    axes.push_back({ir::Var(name), 0, like.shape[d]});
  }
  return axes;
}

void DefaultLeaves(Stage* stage) {
  stage->leaves.clear();
  for (const ir::Axis& a : stage->axes) stage->leaves.push_back({a.name(), a.var, false});
  for (const ir::Axis& a : stage->reduce_axes) stage->leaves.push_back({a.name(), a.var, true});
}

std::vector<ir::Expr> Vars(const std::vector<ir::Axis>& axes) {
  std::vector<ir::Expr> vars;
  for (const ir::Axis& a : axes) vars.push_back(a.var);
  return vars;
}

}  // namespace

Status Applier::Inline(const Words& w) {
  TESSERA_ASSIGN(Stage * stage, FindCompute(w[0]));
  if (stage->output)
    return Fail(Code::kInvalidArgument, "{} is an output; only what others read is inlined", w[0]);
  if (!stage->reduce_axes.empty()) {
    return Fail(Code::kInvalidArgument,
                "{} is a reduction and would be recomputed for each read; "
                "compute_at attaches it instead",
                w[0]);
  }
  for (const Stage& other : s_->stages_) {
    if (other.attach == Attach::kAt && other.at_stage == w[0]) {
      return Fail(Code::kInvalidArgument, "{} is computed inside {}; inline before attaching",
                  other.name, w[0]);
    }
  }
  for (Stage& reader : s_->stages_) {
    if (reader.placeholder || reader.name == w[0]) continue;
    reader.body = ReplaceReads(reader.body, w[0], [&](const std::vector<ir::Expr>& indices) {
      ir::VarMap map;
      for (size_t d = 0; d < indices.size(); ++d) map[stage->axes[d].var.get()] = indices[d];
      return ir::Substitute(stage->body, map);
    });
  }
  stage->attach = Attach::kInline;
  return {};
}

Status Applier::CacheRead(const Words& w) {
  TESSERA_ASSIGN(Stage * source, FindStage(w[0]));
  TESSERA_ASSIGN(const ir::Scope scope, ParseScope(w[1]));
  if (source->attach == Attach::kInline)
    return Fail(Code::kInvalidArgument, "{} was inlined", w[0]);
  if (s_->Find(w[2])) return Fail(Code::kInvalidArgument, "a stage '{}' exists already", w[2]);
  const auto copy = MakeTensor(*source, w[2]);
  size_t place = s_->stages_.size();
  const Stage original = *source;  // the list may grow below
  for (size_t r = 3; r < w.size(); ++r) {
    TESSERA_ASSIGN(Stage * reader, FindCompute(w[r]));
    bool reads = false;
    reader->body = ReplaceReads(reader->body, w[0], [&](const std::vector<ir::Expr>& indices) {
      reads = true;
      return ir::TensorRead(copy, indices);
    });
    if (!reads) return Fail(Code::kInvalidArgument, "{} does not read {}", w[r], w[0]);
    place = std::min<size_t>(place, reader - s_->stages_.data());
  }
  Stage stage;
  stage.name = w[2];
  stage.dtype = original.dtype;
  stage.shape = original.shape;
  stage.scope = scope;
  stage.axes = CopyAxes(original);
  stage.body = ir::TensorRead(MakeTensor(original, w[0]), Vars(stage.axes));
  DefaultLeaves(&stage);
  s_->stages_.insert(s_->stages_.begin() + static_cast<int64_t>(place), std::move(stage));
  return {};
}

Status Applier::CacheWrite(const Words& w) {
  TESSERA_ASSIGN(Stage * stage, FindCompute(w[0]));
  TESSERA_ASSIGN(const ir::Scope scope, ParseScope(w[1]));
  if (s_->Find(w[2])) return Fail(Code::kInvalidArgument, "a stage '{}' exists already", w[2]);
  if (!stage->relations.empty() || stage->attach != Attach::kRoot) {
    return Fail(Code::kInvalidArgument, "{} has been scheduled; cache_write comes first", w[0]);
  }
  Stage inner = *stage;
  inner.name = w[2];
  inner.scope = scope;
  inner.output = false;
  inner.layout = {};
  stage->axes = CopyAxes(inner);
  stage->reduce_axes.clear();
  stage->body = ir::TensorRead(MakeTensor(inner, w[2]), Vars(stage->axes));
  DefaultLeaves(stage);
  const int64_t place = stage - s_->stages_.data();
  s_->stages_.insert(s_->stages_.begin() + place, std::move(inner));
  return {};
}

Status Applier::SetScope(const Words& w) {
  TESSERA_ASSIGN(Stage * stage, FindCompute(w[0]));
  TESSERA_ASSIGN(stage->scope, ParseScope(w[1]));
  return {};
}

Status Applier::SetLayout(const Words& w) {
  TESSERA_ASSIGN(Stage * stage, FindStage(w[0]));
  const std::string text = w.size() > 2 ? w[1] + " fill " + w[2] : w[1];
  TESSERA_ASSIGN(stage->layout, ir::ParseLayout(text, static_cast<int>(stage->shape.size())));
  return {};
}

Status Applier::SetKind(const Words& w, ir::LoopKind kind) {
  TESSERA_ASSIGN(Stage * stage, FindCompute(w[0]));
  TESSERA_ASSIGN(const int at, FindLeaf(*stage, w[1]));
  LoopAxis& axis = stage->leaves[at];
  const bool ordered = kind != ir::LoopKind::kUnroll;
  if (ordered && axis.reduce) {
    return Fail(Code::kInvalidArgument,
                "{} is a reduction: its iterations depend on each other; unroll it, or "
                "mark a loop over outputs",
                w[1]);
  }
  axis.kind = kind;
  return {};
}

Status Applier::Tensorize(const Words& w) {
  TESSERA_ASSIGN(Stage * stage, FindCompute(w[0]));
  TESSERA_TRY(FindLeaf(*stage, w[1]));
  if (!FindTensorIntrin(w[2]))
    return Fail(Code::kNotFound, "no tensor intrinsic '{}' is registered", w[2]);
  stage->tensorize_axis = w[1];
  stage->intrinsic = w[2];
  return {};
}

}  // namespace tessera::schedule
