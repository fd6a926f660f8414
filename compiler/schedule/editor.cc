// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/editor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "compiler/ir/visit.h"

namespace tessera::schedule {

std::string AxisList(const Stage& stage) {
  std::string text;
  for (const LoopAxis& a : stage.leaves) text += (text.empty() ? "" : " ") + a.name;
  return text;
}

bool ReadsTensor(const ir::Expr& e, const std::string& tensor) {
  if (e->kind == ir::ExprKind::kTensorRead && e->tensor->name == tensor) return true;
  return std::ranges::any_of(e->args, [&](const ir::Expr& x) {
    const bool leaf = x->kind == ir::ExprKind::kVar || x->kind == ir::ExprKind::kImm;
    return !leaf && ReadsTensor(x, tensor);
  });
}

ir::Expr ReplaceReads(const ir::Expr& body, const std::string& tensor,
                      const std::function<ir::Expr(const std::vector<ir::Expr>&)>& fn) {
  return ir::Rewrite(body, [&](const ir::Expr& e) {
    return e->kind == ir::ExprKind::kTensorRead && e->tensor->name == tensor ? fn(e->args) : e;
  });
}

std::shared_ptr<te::TensorNode> TensorLike(const Stage& like, const std::string& name) {
  auto node = std::make_shared<te::TensorNode>();
  node->name = name;
  node->dtype = like.dtype;
  node->shape = like.shape;
  return node;
}

void MakeCopyOf(const Stage& source, Stage* stage) {
  stage->axes.clear();
  stage->reduce_axes.clear();
  stage->conditions.clear();
  stage->skips.clear();
  stage->leaves.clear();
  std::vector<ir::Expr> indices;
  for (size_t d = 0; d < source.shape.size(); ++d) {
    const std::string name = source.placeholder ? fmt::format("i{}", d) : source.axes[d].name();
    stage->axes.push_back({ir::Var(name), 0, source.shape[d]});
    stage->leaves.push_back({name, stage->axes[d].var, false});
    indices.push_back(stage->axes[d].var);
  }
  stage->body = ir::TensorRead(TensorLike(source, source.name), indices);
}

Status Editor::RequireReadersInside(const Stage& stage, const std::string& consumer) const {
  const std::vector<const Stage*> readers = s_->Consumers(stage.name);
  if (readers.empty()) return Fail(Code::kInvalidArgument, "nothing reads {}", stage.name);
  for (const Stage* reader : readers) {
    const Stage* at = reader;
    for (size_t hops = 0; at && at->name != consumer && hops <= s_->stages_.size(); ++hops)
      at = s_->OuterOf(*at);
    if (!at || at->name != consumer) {
      return Fail(Code::kInvalidArgument,
                  "{} is also read by {}, which is not computed inside {}; attach {} to {} first",
                  stage.name, reader->name, consumer, reader->name, consumer);
    }
  }
  return {};
}

Status Editor::RequireMemory(ir::Scope scope) const {
  const target::Target& target = s_->target();
  if (target.FindMemory(scope) != nullptr) return {};
  std::string names;
  for (const target::TargetMemory& m : target.memories)
    names += fmt::format(" {}", ir::ScopeName(m.scope));
  return Fail(Code::kUnsupported, "{} has no memory '{}'; it has:{}", target.name,
              ir::ScopeName(scope), names);
}

Status Editor::RequireLoop(ir::LoopKind kind) const {
  const target::Target& target = s_->target();
  if (target.Takes(kind)) return {};
  std::string names;
  for (const ir::LoopKind k : target.loops) names += fmt::format(" {}", ir::LoopKindName(k));
  return Fail(Code::kUnsupported, "{} takes no loop of kind '{}'; it takes:{}", target.name,
              ir::LoopKindName(kind), names);
}

Status Editor::MarkOutputLoop(const std::string& stage, const std::string& axis, ir::LoopKind kind,
                              const char* why) {
  TESSERA_ASSIGN(Stage * of, EditCompute(stage));
  TESSERA_ASSIGN(const int at, FindLeaf(*of, axis));
  TESSERA_TRY(RequireLoop(kind));
  LoopAxis& loop = of->leaves[static_cast<size_t>(at)];
  if (loop.reduce) {
    return Fail(Code::kInvalidArgument, "{} is a reduction: its iterations {}", axis, why);
  }
  return SetKind(*of, kind, &loop);
}

Status Editor::SetKind(const Stage& stage, ir::LoopKind kind, LoopAxis* loop) {
  if (loop->kind != ir::LoopKind::kSerial && loop->kind != kind) {
    return Fail(
        Code::kInvalidArgument,
        "loop {} of {} is {} already and cannot be {} too; split it first, or leave one out",
        loop->name, stage.name, ir::LoopKindName(loop->kind), ir::LoopKindName(kind));
  }
  loop->kind = kind;
  return {};
}

Status Editor::RequireRotation(ir::Scope scope) const {
  const target::Target& target = s_->target();
  const target::TargetMemory* memory = target.FindMemory(scope);
  if (memory != nullptr && memory->rotates) return {};
  std::string names;
  for (const target::TargetMemory& m : target.memories)
    names += m.rotates ? fmt::format(" {}", ir::ScopeName(m.scope)) : "";
  if (names.empty()) {
    return Fail(Code::kUnsupported,
                "{} has one copy of a buffer, in each of its memories; leave double_buffer out",
                target.name);
  }
  return Fail(
      Code::kUnsupported,
      "{} has one copy of a buffer in '{}'; double_buffer is for:{}, where set_scope puts it",
      target.name, ir::ScopeName(scope), names);
}

Status Editor::RequireNoFollower(const Stage& stage) const {
  for (const Stage& other : s_->stages_) {
    if (other.attach != Attach::kAfter || other.at_stage != stage.name) continue;
    return Fail(Code::kInvalidArgument,
                "{} follows the loops of {} already; say where {} is computed before that",
                other.name, stage.name, stage.name);
  }
  return {};
}

Status Editor::RequireNotInside(const Stage& outer, const Stage& inner) const {
  for (const Stage* at = &outer; at != nullptr; at = s_->OuterOf(*at)) {
    if (at != &inner) continue;
    return Fail(Code::kInvalidArgument, "{} is computed inside {}, which cannot be inside it too",
                outer.name, inner.name);
  }
  return {};
}

Result<const Stage*> Editor::FindStage(const std::string& name) const {
  if (const Stage* stage = s_->Find(name)) return stage;
  std::string names;
  for (const Stage& s : s_->stages_) names += (names.empty() ? "" : " ") + s.name;
  return Fail(Code::kNotFound, "no stage '{}'; there are: {}", name, names);
}

Result<const Stage*> Editor::FindCompute(const std::string& name) const {
  TESSERA_ASSIGN(const Stage* stage, FindStage(name));
  if (stage->placeholder) {
    return Fail(Code::kInvalidArgument,
                "'{}' is an input and has no loops; cache_read makes a stage of it", name);
  }
  if (stage->attach == Attach::kInline) {
    return Fail(Code::kInvalidArgument, "'{}' was inlined and has no loops any more", name);
  }
  return stage;
}

Result<Stage*> Editor::EditStage(const std::string& name) {
  TESSERA_ASSIGN(const Stage* stage, FindStage(name));
  return &s_->stages_.Edit(s_->stages_.IndexOf(*stage));
}

Result<Stage*> Editor::EditCompute(const std::string& name) {
  TESSERA_ASSIGN(const Stage* stage, FindCompute(name));
  return &s_->stages_.Edit(s_->stages_.IndexOf(*stage));
}

void Editor::InsertBefore(const Stage& reader, Stage stage) {
  s_->stages_.Insert(s_->stages_.IndexOf(reader), std::move(stage));
}

Result<int> Editor::FindLeaf(const Stage& stage, const std::string& axis) {
  const int i = stage.LeafIndex(axis);
  if (i < 0) {
    return Fail(Code::kNotFound, "stage {} has no loop '{}'; its loops are: {}", stage.name, axis,
                AxisList(stage));
  }
  return i;
}

namespace {

// Checks that a step's text can name |name|: one word that does not stand for a decision's value.
Status RequireWord(const std::string& name) {
  const bool word = !name.empty() && name.front() != '$' &&
                    name.find_first_of(" \t\r\n\v\f#") == std::string::npos;
  if (word) return {};
  return Fail(Code::kInvalidArgument,
              "'{}' is no name: one word is, without '#', that does not begin with '$'", name);
}

}  // namespace

Status Editor::NewAxisName(const Stage& stage, const std::string& name) {
  TESSERA_TRY(RequireWord(name));
  if (stage.LeafIndex(name) >= 0) {
    return Fail(Code::kInvalidArgument, "stage {} has a loop '{}' already; choose another name",
                stage.name, name);
  }
  return {};
}

Status Editor::NewStageName(const std::string& name) {
  TESSERA_TRY(RequireWord(name));
  if (s_->Find(name) != nullptr)
    return Fail(Code::kInvalidArgument, "a stage '{}' exists already; choose another name", name);
  return {};
}

Status Editor::RequirePlainLoop(const Stage& stage, int leaf) const {
  const LoopAxis& loop = stage.leaves[static_cast<size_t>(leaf)];
  if (loop.kind != ir::LoopKind::kSerial) {
    return Fail(Code::kInvalidArgument,
                "loop {} of {} is {} already, which would be lost; put this step in front of that",
                loop.name, stage.name, ir::LoopKindName(loop.kind));
  }
  const int instruction = stage.LeafIndex(stage.tensorize_axis);
  if (instruction < 0 || leaf < instruction) return {};
  return Fail(Code::kInvalidArgument,
              "loop {} of {} is part of one instruction, from {} on; put this step in front of "
              "tensorize",
              loop.name, stage.name, stage.tensorize_axis);
}

Status Editor::RequireFewIterations(const Stage& stage) const {
  const auto iterations = stage.Iterations(stage.shape);
  int64_t all = 1;
  for (const LoopAxis& loop : stage.leaves) {
    const int64_t n = iterations.at(loop.var.get());
    if (n <= kMostIterations / all) {
      all *= n;
      continue;
    }
    return Fail(Code::kOutOfRange,
                "the loops of {} have more than 2^48 iterations together, {} of them {}; choose "
                "smaller factors",
                stage.name, n, loop.name);
  }
  return {};
}

Result<int64_t> Editor::FieldOf(const std::string& decision, const std::string& field) const {
  TESSERA_ASSIGN(const std::vector<std::string> name, Words(decision, DomainKind::kIntrinsics));
  const target::Target& target = s_->target();
  const target::ProductTile tile = *target::ProductsOf(*target.FindIntrinsic(name[0]));
  if (field == "lanes") return tile.shape[0];
  if (field == "depth") return tile.depth;
  if (field == "sums") {
    const int64_t registers = target.vector_registers - target.vector_registers / 8,
                  each = CeilDiv(tile.shape[0] * SizeOf(tile.sums),
                                 std::max<int64_t>(target.vector_bytes, 1));
    return std::max<int64_t>(registers / each, 1);
  }
  return Fail(Code::kInvalidArgument, "intrinsic '{}' has no '{}'; it has lanes, depth and sums",
              decision, field);
}

Result<int64_t> Editor::Value(const Amount& amount, int64_t least) const {
  int64_t value = amount.value;
  const size_t point = amount.decision.rfind('.');
  if (point != std::string::npos && !s_->decisions_.contains(amount.decision)) {
    TESSERA_ASSIGN(value,
                   FieldOf(amount.decision.substr(0, point), amount.decision.substr(point + 1)));
  } else if (!amount.decision.empty()) {
    TESSERA_ASSIGN(const Decision* decision, FindDecision(amount.decision));
    if (!decision->value.words.empty()) {
      return Fail(Code::kInvalidArgument, "decision '{}' is '{}', which is no number",
                  amount.decision, Print(decision->value));
    }
    value = decision->value.number;
  }
  if (value < least) return Fail(Code::kOutOfRange, "a factor of {} is below {}", value, least);
  if (value > kMostAmount) return Fail(Code::kOutOfRange, "a factor of {} is above 2^31", value);
  return value;
}

Result<std::string> Editor::LayoutText(const std::string& pieces) const {
  constexpr const char* kSigns = ",/%+:";  // between sizes
  std::string text;
  for (size_t at = 0; at <= pieces.size();) {
    const size_t end = std::min(pieces.find_first_of(kSigns, at), pieces.size());
    const std::string size = pieces.substr(at, end - at);
    if (size.find_first_of("*$") == std::string::npos) {
      text += size;  // ParseLayout reads it
    } else {
      int64_t product = 1;
      for (size_t from = 0; from <= size.size();) {
        const size_t to = std::min(size.find('*', from), size.size());
        TESSERA_ASSIGN(const Amount factor, ParseAmount(size.substr(from, to - from)));
        TESSERA_ASSIGN(const int64_t value, Value(factor));
        TESSERA_ASSIGN(product, Value(product * value));
        from = to + 1;
      }
      text += std::to_string(product);
    }
    if (end < pieces.size()) text += pieces[end];
    at = end + 1;
  }
  return text;
}

Result<const Decision*> Editor::FindDecision(const std::string& name) const {
  const auto it = s_->decisions_.find(name);
  if (it == s_->decisions_.end())
    return Fail(Code::kNotFound, "no decision '{}'; a decide step must come first", name);
  return &it->second;
}

Result<std::vector<std::string>> Editor::Words(const std::string& decision, DomainKind kind) const {
  TESSERA_ASSIGN(const Decision* found, FindDecision(decision));
  if (found->kind != kind) {
    return Fail(Code::kInvalidArgument, "decision '{}' is '{}', which is no {}", decision,
                Print(found->value),
                kind == DomainKind::kPlaces   ? "place"
                : kind == DomainKind::kOrders ? "order of loops"
                : kind == DomainKind::kLoops  ? "choice of a loop"
                                              : "intrinsic");
  }
  return found->value.words;
}

Status Editor::AddDecision(Decision decision) {
  const std::string name = decision.name;
  TESSERA_TRY(RequireWord(name));
  if (name.find_first_of("*+-()/") != std::string::npos) {
    return Fail(Code::kInvalidArgument,
                "'{}' is no name of a decision: sizes and layouts are written with * + - ( ) /",
                name);
  }
  for (const Choice& choice : decision.domain) {  // only a list can hold such a number
    if (!choice.words.empty() || (choice.number >= 0 && choice.number <= kMostAmount)) continue;
    return Fail(Code::kOutOfRange, "{} in the domain of {} is no size; 0 to 2^31 are",
                choice.number, name);
  }
  if (!s_->decisions_.emplace(name, std::move(decision)).second)
    return Fail(Code::kInvalidArgument, "decision '{}' is taken already", name);
  return {};
}

}  // namespace tessera::schedule
