// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "compiler/ir/visit.h"
#include "compiler/schedule/tensor_intrin.h"

namespace tessera::schedule {
namespace {

std::string AxisList(const Stage& stage) {
  std::string text;
  for (const LoopAxis& a : stage.leaves) text += (text.empty() ? "" : " ") + a.name;
  return text;
}

bool ParseNumber(const std::string& word, int64_t* value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *value);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

const std::vector<Primitive>& Primitives() {
  static const std::vector<Primitive> primitives = {
      {"decide", 3, 1000, "decide NAME {A B C} PICK"},
      {"split", 5, 6, "split STAGE AXIS N OUTER INNER [pad]"},
      {"fuse", 4, 4, "fuse STAGE OUTER INNER FUSED"},
      {"reorder", 3, 100, "reorder STAGE AXIS AXIS ..."},
      {"tile", 9, 9, "tile STAGE A B NA NB AO BO AI BI"},
      {"compute_at", 3, 3, "compute_at STAGE CONSUMER AXIS"},
      {"inline", 1, 1, "inline STAGE"},
      {"cache_read", 4, 100, "cache_read TENSOR SCOPE NAME READER ..."},
      {"cache_write", 3, 3, "cache_write STAGE SCOPE NAME"},
      {"set_scope", 2, 2, "set_scope STAGE SCOPE"},
      {"layout", 2, 3, "layout TENSOR 0,1/16,2,3,1%16 [FILL]"},
      {"vectorize", 2, 2, "vectorize STAGE AXIS"},
      {"unroll", 2, 2, "unroll STAGE AXIS"},
      {"tensorize", 3, 3, "tensorize STAGE AXIS INTRINSIC"},
      {"parallel", 2, 2, "parallel STAGE AXIS",
       "loops run on one thread; vectorize or unroll the loop instead"},
      {"vthread", 2, 2, "vthread STAGE AXIS",
       "the accelerator's units run ahead of each other without it; leave the step out"},
      {"double_buffer", 1, 1, "double_buffer STAGE",
       "buffers have one copy, scratchpads are rings already; leave the step out"},
  };
  return primitives;
}

Status Applier::Apply(const Step& step) {
  const Words& w = step.words;
  const auto rule = std::ranges::find(Primitives(), step.prim, &Primitive::name);
  if (rule == Primitives().end()) {
    return Fail(Code::kInvalidArgument, "'{}' is no primitive", step.prim);
  }
  if (w.size() < rule->least || w.size() > rule->most) {
    return Fail(Code::kInvalidArgument, "{} words; write {}", w.size(), rule->usage);
  }
  if (!rule->refused.empty()) {
    TESSERA_ASSIGN(const Stage* stage, FindCompute(w[0]));
    if (w.size() > 1) TESSERA_TRY(FindLeaf(*stage, w[1]));
    return Fail(Code::kUnsupported, "{} has no effect yet: {}", step.prim, rule->refused);
  }
  if (step.prim == "decide") return Decide(w);
  if (step.prim == "split") return Split(w);
  if (step.prim == "fuse") return Fuse(w);
  if (step.prim == "reorder") return Reorder(w);
  if (step.prim == "tile") return Tile(w);
  if (step.prim == "compute_at") return ComputeAt(w);
  if (step.prim == "inline") return Inline(w);
  if (step.prim == "cache_read") return CacheRead(w);
  if (step.prim == "cache_write") return CacheWrite(w);
  if (step.prim == "set_scope") return SetScope(w);
  if (step.prim == "layout") return SetLayout(w);
  if (step.prim == "vectorize") return SetKind(w, ir::LoopKind::kVector);
  if (step.prim == "unroll") return SetKind(w, ir::LoopKind::kUnroll);
  return Tensorize(w);
}

Result<Stage*> Applier::FindStage(const std::string& name) {
  for (Stage& s : s_->stages_) {
    if (s.name == name) return &s;
  }
  std::string names;
  for (const Stage& s : s_->stages_) names += (names.empty() ? "" : " ") + s.name;
  return Fail(Code::kNotFound, "no stage '{}'; there are: {}", name, names);
}

Result<Stage*> Applier::FindCompute(const std::string& name) {
  TESSERA_ASSIGN(Stage * stage, FindStage(name));
  if (stage->placeholder) {
    return Fail(Code::kInvalidArgument,
                "'{}' is an input and has no loops; cache_read makes a stage of it", name);
  }
  if (stage->attach == Attach::kInline) {
    return Fail(Code::kInvalidArgument, "'{}' was inlined and has no loops any more", name);
  }
  return stage;
}

Result<int> Applier::FindLeaf(const Stage& stage, const std::string& axis) {
  const int i = stage.LeafIndex(axis);
  if (i < 0) {
    return Fail(Code::kNotFound, "stage {} has no loop '{}'; its loops are: {}", stage.name, axis,
                AxisList(stage));
  }
  return i;
}

Status Applier::NewAxisName(const Stage& stage, const std::string& name) {
  if (stage.LeafIndex(name) >= 0) {
    return Fail(Code::kInvalidArgument, "stage {} has a loop '{}' already; choose another name",
                stage.name, name);
  }
  return {};
}

Result<int64_t> Applier::Number(const std::string& word) {
  int64_t value = 0;
  if (!word.empty() && word[0] == '$') {
    auto it = s_->decisions_.find(word.substr(1));
    if (it == s_->decisions_.end()) {
      return Fail(Code::kNotFound, "no decision '{}'; a decide step must come first",
                  word.substr(1));
    }
    value = it->second.value();
  } else if (!ParseNumber(word, &value)) {
    return Fail(Code::kInvalidArgument, "'{}' is neither a number nor a $decision", word);
  }
  if (value < 1) return Fail(Code::kInvalidArgument, "a factor of {} is below 1", value);
  return value;
}

Status Applier::Decide(const Words& w) {
  Decision d{.name = w[0]};
  for (size_t i = 1; i + 1 < w.size(); ++i) {
    std::string word = w[i];
    std::erase_if(word, [](char c) { return c == '{' || c == '}'; });
    int64_t value = 0;
    if (!ParseNumber(word, &value)) return Fail(Code::kInvalidArgument, "'{}' is no number", word);
    d.domain.push_back(value);
  }
  int64_t pick = 0;
  if (!ParseNumber(w.back(), &pick) || pick < 0 || pick >= static_cast<int64_t>(d.domain.size())) {
    return Fail(Code::kOutOfRange, "pick '{}' of a domain of {}", w.back(), d.domain.size());
  }
  d.pick = static_cast<int>(pick);
  if (!s_->decisions_.emplace(d.name, d).second) {
    return Fail(Code::kInvalidArgument, "decision '{}' is taken already", d.name);
  }
  return {};
}

Status Applier::Split(const Words& w) {
  TESSERA_ASSIGN(Stage * stage, FindCompute(w[0]));
  TESSERA_ASSIGN(const int at, FindLeaf(*stage, w[1]));
  TESSERA_ASSIGN(const int64_t factor, Number(w[2]));
  const bool pad = w.size() == 6;
  if (pad && w[5] != "pad")
    return Fail(Code::kInvalidArgument, "'{}': only 'pad' may follow", w[5]);
  if (w[3] != w[1]) TESSERA_TRY(NewAxisName(*stage, w[3]));
  if (w[4] != w[1]) TESSERA_TRY(NewAxisName(*stage, w[4]));
  if (w[3] == w[4]) return Fail(Code::kInvalidArgument, "both parts are called '{}'", w[3]);
  const LoopAxis parent = stage->leaves[at];
  LoopAxis outer = parent, inner = parent;
  outer.name = w[3];
  outer.var = ir::Var(w[3]);
  inner.name = w[4];
  inner.var = ir::Var(w[4]);
  stage->relations.push_back({true, parent.var, outer.var, inner.var, factor, pad});
  stage->leaves[at] = inner;
  stage->leaves.insert(stage->leaves.begin() + at, outer);
  return {};
}

Status Applier::Fuse(const Words& w) {
  TESSERA_ASSIGN(Stage * stage, FindCompute(w[0]));
  TESSERA_ASSIGN(const int outer, FindLeaf(*stage, w[1]));
  TESSERA_ASSIGN(const int inner, FindLeaf(*stage, w[2]));
  if (inner != outer + 1) {
    return Fail(Code::kInvalidArgument,
                "loops {} and {} are not neighbours in this order ({}); reorder first", w[1], w[2],
                AxisList(*stage));
  }
  if (stage->leaves[outer].reduce != stage->leaves[inner].reduce) {
    return Fail(Code::kInvalidArgument,
                "{} and {}: a reduction loop does not fuse with another kind", w[1], w[2]);
  }
  if (w[3] != w[1] && w[3] != w[2]) TESSERA_TRY(NewAxisName(*stage, w[3]));
  LoopAxis fused = stage->leaves[outer];
  fused.name = w[3];
  fused.var = ir::Var(w[3]);
  stage->relations.push_back(
      {false, fused.var, stage->leaves[outer].var, stage->leaves[inner].var, 0, false});
  stage->leaves[outer] = fused;
  stage->leaves.erase(stage->leaves.begin() + inner);
  return {};
}

Status Applier::Reorder(const Words& w) {
  TESSERA_ASSIGN(Stage * stage, FindCompute(w[0]));
  std::vector<int> places;
  std::vector<LoopAxis> moved;
  for (size_t i = 1; i < w.size(); ++i) {
    TESSERA_ASSIGN(const int at, FindLeaf(*stage, w[i]));
    if (std::find(places.begin(), places.end(), at) != places.end()) {
      return Fail(Code::kInvalidArgument, "loop '{}' is named twice", w[i]);
    }
    places.push_back(at);
    moved.push_back(stage->leaves[at]);
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 0; i < places.size(); ++i) stage->leaves[places[i]] = moved[i];
  return {};
}

Status Applier::Tile(const Words& w) {
  TESSERA_TRY(Split({w[0], w[1], w[3], w[5], w[7]}));
  TESSERA_TRY(Split({w[0], w[2], w[4], w[6], w[8]}));
  return Reorder({w[0], w[5], w[6], w[7], w[8]});
}

Status Applier::ComputeAt(const Words& w) {
  TESSERA_ASSIGN(Stage * stage, FindCompute(w[0]));
  TESSERA_ASSIGN(Stage * consumer, FindCompute(w[1]));
  TESSERA_TRY(FindLeaf(*consumer, w[2]));
  if (stage->output) {
    return Fail(Code::kInvalidArgument,
                "{} is an output and must be complete; attach its producers to it", w[0]);
  }
  if (stage == consumer)
    return Fail(Code::kInvalidArgument, "{} cannot be computed inside itself", w[0]);
  // Every reader must be inside that loop: the consumer, or attached (through others) to it.
  for (const Stage* reader : s_->Consumers(w[0])) {
    const Stage* at = reader;
    for (size_t hops = 0; at && at->name != w[1] && hops <= s_->stages_.size(); ++hops) {
      at = at->attach == Attach::kAt ? s_->Find(at->at_stage) : nullptr;
    }
    if (!at || at->name != w[1]) {
      return Fail(Code::kInvalidArgument,
                  "{} is also read by {}, which is not computed inside {}; "
                  "attach {} to {} first",
                  w[0], reader->name, w[1], reader->name, w[1]);
    }
  }
  if (s_->Consumers(w[0]).empty()) return Fail(Code::kInvalidArgument, "nothing reads {}", w[0]);
  stage->attach = Attach::kAt;
  stage->at_stage = w[1];
  stage->at_axis = w[2];
  return {};
}

}  // namespace tessera::schedule
