// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/gpu.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/visit.h"

namespace tessera::schedule {
namespace {

class GpuGenerator {
 public:
  explicit GpuGenerator(Schedule schedule) : s_(std::move(schedule)) {}

  Result<Schedule> Run() {
    TESSERA_TRY(InlineElementwise());
    for (const std::string& name : Live()) {
      if (s_.Find(name)->reduce_axes.empty() && s_.Find(name)->attach == Attach::kRoot)
        TESSERA_TRY(OneThreadAnElement(name));
      if (!s_.Find(name)->reduce_axes.empty()) TESSERA_TRY(Sum(name));
    }
    return std::move(s_);
  }

 private:
  template <typename... Args>
  Status Do(fmt::format_string<Args...> format, Args&&... args) {
    return s_.Apply(fmt::format(format, std::forward<Args>(args)...));
  }

  std::vector<std::string> Live() const {
    std::vector<std::string> names;
    for (const Stage& st : s_.stages()) {
      if (!st.placeholder && st.attach != Attach::kInline) names.push_back(st.name);
    }
    return names;
  }

  // What costs little to compute again is part of its readers.
  Status InlineElementwise() {
    for (const std::string& name : Live()) {
      const Stage* st = s_.Find(name);
      if (!st->output && st->reduce_axes.empty()) TESSERA_TRY(Do("inline {}", name));
    }
    return {};
  }

  // All axes are one loop over groups of threads.
  Status OneThreadAnElement(const std::string& name) {
    const Stage* st = s_.Find(name);
    if (st->leaves.empty()) return {};
    std::vector<std::string> axes;
    for (const LoopAxis& leaf : st->leaves) axes.push_back(leaf.name);
    std::string all = axes[0];
    for (size_t d = 1; d < axes.size(); ++d) {
      TESSERA_TRY(Do("fuse {} {} {} {}.{}", name, all, axes[d], all, axes[d]));
      all += "." + axes[d];
    }
    TESSERA_TRY(Do("split {} {} 64 {}.g {}.t", name, all, all, all));
    TESSERA_TRY(Do("bind {} {}.g grid.x", name, all));
    return Do("bind {} {}.t thread.x", name, all);
  }

  // A thread sums in a register.
  Status Sum(const std::string& name) {
    if (s_.Find(name)->leaves.size() == s_.Find(name)->reduce_axes.size()) return {};
    const std::string sum = name + ".sum";
    TESSERA_TRY(Do("cache_write {} reg {}", name, sum));
    TESSERA_TRY(OneThreadAnElement(name));
    return Do("compute_at {} {} {}", sum, name, s_.Find(name)->leaves.back().name);
  }

  Schedule s_;
};

}  // namespace

Result<Schedule> GpuSchedule(const std::vector<te::Tensor>& outputs) {
  TESSERA_ASSIGN(Schedule s, Schedule::Create(outputs, target::Gpu()));
  return GpuGenerator(std::move(s)).Run();
}

}  // namespace tessera::schedule
