// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/gpu/random_gpu.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "compiler/ir/layout.h"
#include "compiler/schedule/gpu.h"
#include "tests/compiler/lower/random_schedule.h"

namespace tessera::test {
namespace {

using schedule::Attach;
using schedule::Schedule;
using schedule::Stage;

class RandomSteps {
 public:
  RandomSteps(Schedule schedule, Rng& rng) : s_(std::move(schedule)), rng_(rng) {}

  Schedule Run() {
    for (const std::string& name : Names()) {
      const Stage& st = *s_.Find(name);
      if (!st.output && st.reduce_axes.empty() && !rng_.OneIn(3)) Try("inline {}", name);
    }
    for (const std::string& name : Names()) {
      const Stage& st = *s_.Find(name);
      if (!st.reduce_axes.empty() && !rng_.OneIn(3))
        Try("cache_write {} {} {}.w", name, Own(), name);
    }
    for (const std::string& name : Names()) Regroup(name);
    // Consumers first: their places determine the possible places of their producers.
    std::vector<std::string> names = Names();
    std::ranges::reverse(names);
    for (const std::string& name : names) Place(name);
    for (const std::string& name : Names()) {
      if (!rng_.OneIn(4)) continue;
      for (const Stage* reader : s_.Consumers(name)) {
        const std::string behind = reader->name;
        if (Try("reverse_compute_at {} {} {}", behind, name, AnyLeaf(name))) break;
      }
    }
    return std::move(s_);
  }

 private:
  template <typename... Args>
  bool Try(fmt::format_string<Args...> format, Args&&... args) {
    return test::Try(fmt::format(format, std::forward<Args>(args)...), &s_);
  }
  const char* Own() { return rng_.OneIn(2) ? "reg" : "local"; }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const Stage& st : s_.stages()) {
      if (!st.placeholder && st.attach != Attach::kInline) names.push_back(st.name);
    }
    return names;
  }

  std::string AnyLeaf(const std::string& name) {
    const Stage& st = *s_.Find(name);
    return st.leaves[static_cast<size_t>(rng_.Range(0, std::ssize(st.leaves) - 1))].name;
  }

  // Changes the parts of a reduction, and the layout of its elements.
  void Regroup(const std::string& name) {
    const int id = fresh_++;
    if (!s_.Find(name)->reduce_axes.empty()) {
      if (rng_.OneIn(4) &&
          Try("split {} {} {} ro{} ri{}", name, AnyLeaf(name), rng_.Range(2, 4), id, id))
        Try("rfactor {} {} {}.p", name, fmt::format("r{}{}", rng_.OneIn(2) ? "o" : "i", id), name);
      for (const Stage& source : schedule::StageList(s_.stages())) {
        if (source.placeholder && rng_.OneIn(6))
          Try("reindex {} {} {}.r{} 0", source.name, name, source.name, id);
      }
    } else if (rng_.OneIn(4)) {
      Try("cache_write {} global {}.o", name, name) && Try("in_place {}.o {}", name, name);
    }
    for (const Stage& t : schedule::StageList(s_.stages())) {
      if (!rng_.OneIn(12)) continue;
      const auto rank = static_cast<int>(t.shape.size());
      std::string blocks = ir::LayoutText(
          ir::BlockedLayout(rank, static_cast<int>(rng_.Range(0, rank - 1)), rng_.Range(2, 5)));
      std::erase(blocks, ' ');
      Try("layout {} {}", t.name, blocks);
    }
  }

  void Place(const std::string& name) {
    if (s_.Find(name)->leaves.empty()) return;
    const std::vector<const Stage*> readers = s_.Consumers(name);
    bool attached = false;
    if (!readers.empty() && !s_.Find(name)->output && rng_.Range(0, 4) != 0) {
      const std::string reader =
          readers[static_cast<size_t>(rng_.Range(0, std::ssize(readers) - 1))]->name;
      if (!s_.Find(reader)->leaves.empty())
        attached = Try("compute_at {} {} {}", name, reader, AnyLeaf(reader));
    }
    if (attached && s_.Find(name)->scope == ir::Scope::kGlobal)
      Try("set_scope {} {}", name, InThread(name) ? Own() : "shared");
    if (attached && rng_.OneIn(4))
      Try("storage_align {} {} {} {}", name, rng_.Range(0, 2), rng_.Range(2, 6), rng_.Range(0, 1));
    Loops(name, attached);
    for (const Stage& source : schedule::StageList(s_.stages())) {
      if (!s_.Find(name)->Reads(source.name) || !source.placeholder || rng_.OneIn(2)) continue;
      const std::string copy = fmt::format("{}.{}", source.name, name);
      if (!Try("cache_read {} shared {} {}", source.name, copy, name)) continue;
      Try("compute_at {} {} {}", copy, name, AnyLeaf(name));
      if (InThread(copy)) Try("set_scope {} {}", copy, Own());
      if (s_.Find(copy)->attach == Attach::kRoot) Try("set_scope {} global", copy);
      Loops(copy, true);
    }
  }

  // Whether the stage is computed inside a thread loop.
  bool InThread(const std::string& name) const {
    const Stage* at = s_.Find(name);
    for (const Stage* outer = s_.OuterOf(*at); outer != nullptr;
         at = outer, outer = s_.OuterOf(*at)) {
      for (const schedule::LoopAxis& leaf : outer->leaves) {
        if (schedule::IsThread(leaf.kind)) return true;
        if (leaf.name == at->at_axis) break;
      }
    }
    return false;
  }

  void Loops(const std::string& name, bool attached) {
    for (int64_t n = rng_.Range(0, 3); n > 0; --n) {
      const int id = fresh_++;
      Try("split {} {} {} o{} i{}", name, AnyLeaf(name), rng_.Range(2, 5), id, id);
      if (rng_.OneIn(2)) Try("reorder {} {} {}", name, AnyLeaf(name), AnyLeaf(name));
      const Stage& st = *s_.Find(name);
      const auto at = static_cast<size_t>(rng_.Range(0, std::ssize(st.leaves) - 1));
      if (rng_.OneIn(3) && at + 1 < st.leaves.size()) {
        Try("fuse {} {} {} f{}", name, std::string(st.leaves[at].name),
            std::string(st.leaves[at + 1].name), id);
      }
    }
    const Stage& st = *s_.Find(name);
    std::vector<std::string> leaves;
    for (const schedule::LoopAxis& leaf : st.leaves) leaves.push_back(leaf.name);
    size_t at = 0;
    if (!attached) {
      for (const char* kind : {"grid.x", "grid.y", "grid.z"}) {
        if (at < leaves.size() && rng_.OneIn(2)) at += Try("bind {} {} {}", name, leaves[at], kind);
      }
    }
    if (InThread(name)) at = leaves.size();
    int threads = 0;
    for (; at < leaves.size() && threads < 3; ++at) {
      if (rng_.OneIn(3)) continue;
      const char* kKinds[] = {"thread.x", "thread.y", "thread.z"};
      const char* kind = kKinds[rng_.OneIn(4) ? rng_.Range(0, 2) : threads];
      threads += Try("bind {} {} {}", name, leaves[at], kind);
    }
    if (rng_.OneIn(3)) Try("vectorize {} {}", name, leaves.back());
    if (rng_.OneIn(3)) Try("unroll {} {}", name, leaves.back());
  }

  Schedule s_;
  Rng& rng_;
  int fresh_ = 0;
};

}  // namespace

Schedule RandomGpuSchedule(const te::Tensor& output, Rng& rng) {
  Result<Schedule> made = Schedule::Create({output}, target::Gpu());
  TESSERA_CHECK(made.has_value());
  return RandomSteps(std::move(*made), rng).Run();
}

Schedule RandomGpuPicks(const te::Tensor& output, Rng& rng,
                        std::shared_ptr<const target::Target> target,
                        const std::set<std::string>& constants) {
  const Result<Schedule> made = schedule::GpuSchedule({output}, target, constants);
  TESSERA_CHECK(made.has_value(), "{}", made.error().message);
  Result<Schedule> s = Schedule::Create({output}, target);
  TESSERA_CHECK(s.has_value());
  for (schedule::Step step : made->trace()) {
    if (auto* decide = std::get_if<schedule::DecideStep>(&step)) {
      const Result<std::vector<schedule::Choice>> values = s->ValuesOf(*decide);
      TESSERA_CHECK(values.has_value());
      decide->value = (*values)[static_cast<size_t>(rng.Range(0, std::ssize(*values) - 1))];
    }
    const Status applied = s->Apply(step);
    TESSERA_CHECK(applied.has_value(), "{}", applied.error().message);  // every pick is legal
  }
  return std::move(*s);
}

}  // namespace tessera::test
