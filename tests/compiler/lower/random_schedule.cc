// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/random_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/visit.h"
#include "tests/compiler/schedule/state.h"

namespace tessera::test {
namespace {

using schedule::Attach;
using schedule::LoopAxis;
using schedule::Schedule;
using schedule::Stage;

class RandomLines {
 public:
  RandomLines(Schedule schedule, Rng& rng) : s_(std::move(schedule)), rng_(rng) {}

  // One random step, or several that go together.
  void Step() {
    computes_.clear();
    for (const Stage& st : s_.stages()) {
      if (!st.placeholder && st.attach != Attach::kInline && !st.leaves.empty())
        computes_.push_back(&st);
    }
    const Stage* st = AnyStage();
    id_ = fresh_++;
    if (const std::string lines = Lines(*st, rng_.Range(0, 43)); !lines.empty()) Apply(lines);
  }
  Schedule Done() { return std::move(s_); }

 private:
  const auto& AnyOf(const auto& all) {
    return all[static_cast<size_t>(rng_.Range(0, std::ssize(all) - 1))];
  }
  const Stage* AnyStage() { return AnyOf(computes_); }
  const std::string& AnyLeaf(const Stage& of) { return AnyOf(of.leaves).name; }
  const Stage& AnySource() { return AnyOf(s_.stages()); }
  const char* AnyScope() {
    const char* kScopes[] = {"global", "shared", "local", "reg", "inp", "wgt", "acc", "out", "prm"};
    return kScopes[rng_.Range(0, 8)];
  }

  // Line by line, until one is refused.
  void Apply(const std::string& lines) {
    for (size_t at = 0; at < lines.size();) {
      const size_t end = std::min(lines.find('\n', at), lines.size());
      const std::string line = lines.substr(at, end - at);
      if (TakesRoom(line) || !Try(line, &s_)) return;
      at = end + 1;
    }
  }

  // Would it take away the room that a padded split has?
  bool TakesRoom(const std::string& line) const {
    const std::string kind = line.substr(0, line.find(' '));
    const char* kTaking[] = {"layout", "cache_read", "reindex",      "stack", "rfactor", "in_place",
                             "inline", "lift",       "fold_storage", "align", "winograd"};
    return std::ranges::count(kTaking, kind) > 0 &&
           std::ranges::any_of(padded_, [&](const std::string& name) {
             return (line + " ").find(" " + name + " ") != std::string::npos;
           });
  }

  std::string Lines(const Stage& st, int64_t kind) {
    const std::string& name = st.name;
    switch (kind) {
      case 0:
        return Split(st);
      case 1:
        return Decided(st);
      case 2:
      case 32: {
        const int64_t at = rng_.Range(0, std::ssize(st.leaves) - 1);
        if (at + 1 >= std::ssize(st.leaves)) return "";
        return fmt::format("fuse {} {} {} f{}", name, st.leaves[static_cast<size_t>(at)].name,
                           st.leaves[static_cast<size_t>(at + 1)].name, id_);
      }
      case 3:
      case 4:
        return fmt::format("reorder {} {} {}", name, AnyLeaf(st), AnyLeaf(st));
      case 5:
      case 6: {
        const Stage& to = *AnyStage();
        return fmt::format("compute_at {} {} {}", name, to.name, AnyLeaf(to));
      }
      case 7:
        return fmt::format("inline {}", name);
      case 8: {  // for one reader, or for all
        const Stage& source = AnySource();
        std::string readers = " " + name;
        if (rng_.OneIn(2)) {
          readers.clear();
          for (const Stage* reader : s_.Consumers(source.name)) readers += " " + reader->name;
        }
        return fmt::format("cache_read {} local copy{}{}", source.name, id_, readers);
      }
      case 9:
        return fmt::format("cache_write {} reg tmp{}{}", name, id_,
                           st.dtype == DType::kInt8 && rng_.OneIn(2) ? " i32" : "");
      case 10:
        return fmt::format("vectorize {} {}", name, AnyLeaf(st));
      case 11:
        return fmt::format("unroll {} {}", name, AnyLeaf(st));
      case 12:
      case 31: {
        const Stage& t = AnySource();
        return fmt::format("layout {} {} {}", t.name,
                           Blocks(t, rng_.Range(0, std::ssize(t.shape) - 1), rng_.Range(2, 5)),
                           rng_.Range(-3, 3));
      }
      case 13:
      case 14: {
        const Stage& behind = *AnyStage();
        const std::string step =
            fmt::format("reverse_compute_at {} {} {}", name, behind.name, AnyLeaf(behind));
        if (behind.attach != Attach::kAt) return step;
        return fmt::format("compute_at {} {} {}\n{}", name, behind.at_stage, behind.at_axis, step);
      }
      case 15:
        return fmt::format("in_place {} {}", AnyStage()->name, name);
      case 16:
        if (st.dtype == DType::kFloat32 && !st.reduce_axes.empty() && st.axes.size() == 3)
          return fmt::format("winograd {} {} {} 2", name, st.axes[1].name(), st.axes[2].name());
        return fmt::format("rfactor {} {} part{}", name, AnyLeaf(st), id_);
      case 17:
        return fmt::format("storage_align {} {} {} {}", name, rng_.Range(0, 2), rng_.Range(1, 7),
                           rng_.Range(0, 3));
      case 18: {
        const char* kFills[] = {"", " 0", " 5"};
        const char* kKept[] = {"", "", "", " keep 0", " keep 1", " keep 0,1"};
        return fmt::format("reindex {} {} re{}{}{}", AnySource().name, name, id_,
                           kKept[rng_.Range(0, 5)], kFills[id_ % 3]);
      }
      case 19: {  // in front of what is there
        if (st.attach != Attach::kAt) return "";
        std::vector<const Stage*> read;
        for (const Stage& source : s_.stages()) {
          if (s_.Find(st.at_stage)->Reads(source.name)) read.push_back(&source);
        }
        if (read.empty()) return "";
        const Stage& source = *AnyOf(read);
        return fmt::format(
            "cache_read {0} local copy{1} {2}\ncompute_at copy{1} {2} {3} before {4}", source.name,
            id_, st.at_stage, st.at_axis, name);
      }
      case 20:  // in place of what is made for it
        return fmt::format("cache_write {0} global own{1}\nin_place own{1} {0}", name, id_);
      case 21: {
        const char* kWays[] = {"0", "1", "0.0", "0.1", "1.0", "0.0.0", "0.0.1"};
        const char* way = kWays[rng_.Range(0, 6)];
        if (rng_.OneIn(3)) {
          return fmt::format("rewrite {} {} {}", name, rng_.OneIn(2) ? "." : way,
                             rng_.OneIn(2) ? "negated" : "plus_zero");
        }
        return fmt::format("lift {} {} local part{}{}", name, way, id_,
                           rng_.OneIn(2) && !st.axes.empty() ? " " + st.axes.back().name() : "");
      }
      case 22: {
        std::string tensors;
        for (const Stage& source : s_.stages())
          tensors += st.Reads(source.name) && rng_.OneIn(2) ? " " + source.name : "";
        return tensors.empty() ? "" : fmt::format("stack both{} {}{}", id_, name, tensors);
      }
      case 23:
        return fmt::format("prepare {}", name);
      case 24:
        if (rng_.OneIn(2)) return fmt::format("parallel {} {}", name, AnyLeaf(st));
        return fmt::format("decide l{0} loops {1} {2}\nparallel {1} $l{0}", id_, name,
                           rng_.OneIn(3) ? schedule::kNoLoop : AnyLeaf(st));
      case 25:
      case 26:
        return fmt::format("vthread {} {}", name, AnyLeaf(st));
      case 27:
        return fmt::format("double_buffer {}", name);
      case 28: {
        std::string line = fmt::format("prefetch {} {} {} {}", AnySource().name, name, AnyLeaf(st),
                                       rng_.Range(1, 3));
        if (rng_.OneIn(2)) {
          const Stage* outer = s_.OuterOf(st);
          const Stage& of = outer != nullptr && rng_.OneIn(2) ? *outer : st;
          line += fmt::format(" of {} {}", of.name, AnyLeaf(of));
        }
        return line;
      }
      case 29:
        return fmt::format("decide p{0} places {1} root\ncompute_at {1} $p{0}", id_, name);
      case 30: {
        if (st.leaves.size() < 2) return "";
        std::string loops;
        for (size_t k = 0; k < std::min(st.leaves.size(), schedule::kMostOrdered); ++k)
          loops += " " + st.leaves[k].name;
        return fmt::format("decide r{0} orders {1}{2}\nreorder {1} $r{0}", id_, name, loops);
      }
      case 33:
        return Padded(st);
      case 34: {
        const std::string a = AnyLeaf(st), b = AnyLeaf(st);
        return fmt::format("tile {0} {2} {3} {4} {5} o{1} p{1} i{1} j{1}", name, id_, a, b,
                           rng_.Range(1, 5), rng_.Range(1, 5));
      }
      case 35:
        return fmt::format("set_scope {} {}", AnySource().name, AnyScope());
      case 36: {
        const char* kKinds[] = {"grid.x", "grid.y", "grid.z", "thread.x", "thread.y", "thread.z"};
        return fmt::format("bind {} {} {}", name, AnyLeaf(st), kKinds[rng_.Range(0, 5)]);
      }
      case 37: {  // of what functions exchange
        std::vector<const Stage*> exchanged;
        for (const Stage& t : s_.stages()) {
          if (t.placeholder || t.output) exchanged.push_back(&t);
        }
        const Stage& t = *AnyOf(exchanged);
        const int64_t dim = rng_.Range(0, std::ssize(t.shape) - 1),
                      rows = rng_.Range(1, t.shape[static_cast<size_t>(dim)]);
        return fmt::format("set_scope {0} inp\nfold_storage {0} {1} {2} {3}{4}", t.name, dim, rows,
                           rng_.Range(1, rows), rng_.OneIn(3) ? " 2" : "");
      }
      case 38:
      case 39:
      case 40:
        return Tensorized();
      case 41:
      case 42:
        if (st.reduce_axes.empty()) return "";
        if (id_ % 2 == 0)
          return fmt::format("spread {} {} terms{} t{}", AnySource().name, name, id_, id_);
        return fmt::format("skip {} {}", name, AnyOf(st.reduce_axes).name());
      default: {
        const Stage& source = AnySource();
        if (st.reduce_axes.empty()) return "";
        return fmt::format("align {} {} {} {}", name, st.reduce_axes[0].name(), source.name,
                           rng_.Range(1, 4));
      }
    }
  }

  std::string Split(const Stage& st) {
    return fmt::format("split {} {} {} o{} i{}{}", st.name, AnyLeaf(st), rng_.Range(1, 6), id_, id_,
                       rng_.OneIn(4) ? " overlap" : "");
  }

  // A split by any value of a domain.
  std::string Decided(const Stage& st) {
    const std::string leaf = AnyLeaf(st);
    const std::string kLimits[] = {"", "", " most 3", fmt::format(" room acc 4*$d{}", id_)};
    std::string domain = fmt::format("{} {} {}{}", rng_.OneIn(2) ? "factors" : "tiles", st.name,
                                     leaf, kLimits[rng_.Range(0, 3)]);
    if (rng_.OneIn(4)) domain = fmt::format("{{1 {} {}}}", rng_.Range(2, 4), rng_.Range(2, 7));
    const Result<schedule::Trace> asked =
        schedule::ParseTrace(fmt::format("decide d{} {} 1", id_, domain));
    TESSERA_CHECK(asked.has_value(), "{}", asked.error().message);
    const auto values = s_.ValuesOf(std::get<schedule::DecideStep>((*asked)[0]));
    if (!values) return "";
    return fmt::format("decide d{0} {1} {2}\nsplit {3} {4} $d{0} o{0} i{0}", id_, domain,
                       Print(AnyOf(*values)), st.name, leaf);
  }

  std::string Blocks(const Stage& t, int64_t dim, int64_t block) const {
    std::string text = ir::LayoutText(
        ir::BlockedLayout(static_cast<int>(t.shape.size()), static_cast<int>(dim), block));
    std::erase(text, ' ');
    return text;
  }

  // A split whose last part runs behind the end of an axis. Whatever has the axis as an index gets
  // a layout with room there; of a sum, all that is read there is 0.
  std::string Padded(const Stage& st) {
    std::vector<ir::Axis> axes = st.axes;
    axes.insert(axes.end(), st.reduce_axes.begin(), st.reduce_axes.end());
    const ir::Axis axis = AnyOf(axes);
    const int leaf = st.LeafIndex(axis.name());
    if (leaf < 0 || st.leaves[static_cast<size_t>(leaf)].var.get() != axis.var.get()) return "";
    const bool reduce = st.leaves[static_cast<size_t>(leaf)].reduce;
    const int64_t factor = rng_.Range(2, 5);
    std::string lines;
    bool fits = !reduce || st.body->reduce() == ir::ReduceOp::kSum;
    const auto room = [&](const Stage& t, size_t dim) {
      lines +=
          fmt::format("layout {} {} 0\n", t.name, Blocks(t, static_cast<int64_t>(dim), factor));
    };
    std::set<std::string> sources;
    ir::Visit(st.body, [&](const ir::Expr& e) {
      if (e->kind != ir::ExprKind::kTensorRead) return;
      const Stage& source = *s_.Find(e->tensor->name);
      for (size_t d = 0; d < e->args.size(); ++d) {
        if (!ir::UsesVar(e->args[d], axis.var)) continue;
        fits = fits && e->args[d].get() == axis.var.get() && source.placeholder &&
               !sources.contains(source.name) && !padded_.contains(source.name);
        room(source, d);
        sources.insert(source.name);
      }
    });
    if (!fits || (reduce && sources.empty()) || padded_.contains(st.name)) return "";
    for (size_t d = 0; d < st.axes.size(); ++d) {
      if (st.output && st.axes[d].var.get() == axis.var.get()) room(st, d);
    }
    const std::string name = st.name;
    Apply(fmt::format("{}split {} {} {} o{} i{} pad", lines, name, axis.name(), factor, id_, id_));
    if (s_.trace().empty() || KindOf(s_.trace().back()) != "split pad") return "";
    padded_.insert(name);
    for (const std::string& source : sources) padded_.insert(source);
    return "";
  }

  // The innermost loop of a copy as instructions, split where that may be needed.
  std::string Tensorized() {
    if (s_.target().intrinsics.empty()) return "";
    std::vector<const Stage*> copies;
    for (const Stage* st : computes_) {
      if (st->body->kind == ir::ExprKind::kTensorRead && st->tensorize_axis.empty())
        copies.push_back(st);
    }
    if (copies.empty()) return "";
    const Stage& st = *AnyOf(copies);
    const std::string& leaf = st.leaves.back().name;
    const std::string name = fmt::format("copy_{}", ir::DTypeName(st.dtype));
    if (rng_.OneIn(2)) return fmt::format("tensorize {} {} {}", st.name, leaf, name);
    return fmt::format("split {0} {1} {2} o{3} i{3}\ntensorize {0} i{3} {4}", st.name, leaf,
                       rng_.Range(1, 4), id_, name);
  }

  Schedule s_;
  Rng& rng_;
  std::vector<const Stage*> computes_;  // with loops
  std::set<std::string> padded_;        // stages of padded splits, and what they read there
  int id_ = 0, fresh_ = 0;
};

}  // namespace

bool Try(const std::string& step, Schedule* s) {
  const ScheduleState before = *s;
  const bool applied = s->Apply(step).has_value();
  if (applied && s->trace().size() % 4 != 0) return true;
  if (applied) s->Undo();
  const std::string changed = StateDifference(before, *s);
  TESSERA_CHECK(changed.empty(), "a step that is {} changed {}\n{}{}{}",
                applied ? "taken back" : "refused", changed, te::Print(s->outputs()),
                schedule::Print(s->trace()), step);
  return applied && s->Apply(step).has_value();
}

Schedule RandomSchedule(const te::Tensor& output, int steps, Rng& rng,
                        const std::shared_ptr<const target::Target>& target) {
  Result<Schedule> made = Schedule::Create({output}, target);
  TESSERA_CHECK(made.has_value());
  RandomLines random(std::move(*made), rng);
  for (int n = 0; n < steps; ++n) random.Step();
  return random.Done();
}

std::string KindOf(const schedule::Step& step) {
  const std::string text = schedule::Print(step), name = text.substr(0, text.find(' '));
  if (const auto* split = std::get_if<schedule::SplitStep>(&step)) {
    return name + (split->tail == schedule::Tail::kGuard ? ""
                   : split->tail == schedule::Tail::kPad ? " pad"
                                                         : " overlap");
  }
  const auto* at = std::get_if<schedule::ComputeAtStep>(&step);
  if (at != nullptr && !at->before.stage.empty()) return name + " before";
  const auto* decide = std::get_if<schedule::DecideStep>(&step);
  if (decide == nullptr) return name;
  const char* kKinds[] = {"list", "factors", "tiles", "places", "orders", "loops"};
  const schedule::Domain& domain = decide->domain;
  return fmt::format("{} {}{}", name, kKinds[static_cast<size_t>(domain.kind)],
                     domain.most           ? " most"
                     : domain.room.empty() ? ""
                                           : " room");
}

}  // namespace tessera::test
