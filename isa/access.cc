// SPDX-License-Identifier: Apache-2.0
#include "isa/access.h"

#include <algorithm>

namespace tessera::isa {
namespace {

struct Dim {
  int64_t count;
  int64_t step;
};

// A strided box as a growing list of intervals. A dimension that continues the run before it
// lengthens that run, so a dense box costs one interval.
class BoxList {
 public:
  // base + sum k_i * step_i + [0, width), dims given innermost first.
  void Add(int64_t base, int64_t width, std::span<const Dim> dims) {
    std::vector<Dim> left;
    int64_t steps = 1;
    for (Dim d : dims) {
      if (d.count <= 0) return;
      if (d.count == 1 || d.step == 0) continue;
      if (left.empty() && d.step <= width) {  // dense or overlapping: one longer run
        width = d.step * (d.count - 1) + width;
        continue;
      }
      d.count = std::min(d.count, kMaxSteps / steps);
      steps *= d.count;
      left.push_back(d);
    }
    Expand(base, width, left, static_cast<int>(left.size()) - 1);
  }

  std::vector<AddressRange> Take() {
    Normalize(intervals_);
    return std::move(intervals_);
  }

 private:
  void Expand(int64_t base, int64_t width, const std::vector<Dim>& dims, int level) {
    if (level < 0) {
      intervals_.push_back({base, base + width});
      return;
    }
    const Dim& d = dims[static_cast<size_t>(level)];
    for (int64_t k = 0; k < d.count; ++k) Expand(base + k * d.step, width, dims, level - 1);
  }

  std::vector<AddressRange> intervals_;
};

// The intervals of offsets that micro-ops add to |operand|; offset 0 if micro-ops do not move it.
std::vector<AddressRange> UopOffsets(const NestOperand& operand, std::span<const Uop> uops) {
  if (operand.uop < 0) return {{0, 1}};
  std::vector<AddressRange> offsets;
  for (const Uop& uop : uops) {
    const int64_t offset = UopField(uop, operand.uop);
    offsets.push_back({offset, offset + 1});
  }
  Normalize(offsets);
  return offsets;
}

// Whether any step touches |operand|. Where micro-ops with init touch an accumulator first, the
// machine writes it and does not read it. For ordering the two are equal, because the write
// conflicts with all that the read conflicts with; so one micro-op without init counts for all.
bool Touched(const InsnNest& nest, const NestOperand& operand, std::span<const Uop> uops) {
  if (operand.not_init && std::ranges::all_of(uops, [](const Uop& u) { return u.init != 0; }))
    return false;
  if (!operand.later) return true;
  int64_t still = 1;
  for (int l = 0; l < nest.loop_count; ++l) {
    if ((operand.moves >> l & 1) == 0) still *= nest.loop_list[l].count;
  }
  return still > 1;
}

std::vector<AddressRange> IntervalsOf(const InsnNest& nest, const NestOperand& operand,
                                      std::span<const Uop> uops) {
  std::vector<Dim> dims;
  for (int l = 0; l < nest.loop_count; ++l) {
    const NestLoop& loop = nest.loop_list[l];
    if (loop.uops && operand.uop >= 0) continue;  // UopOffsets covers this loop
    if (operand.moves >> l & 1) dims.push_back({nest.CountFor(operand, l), operand.strides[l]});
  }
  // The shortest strides first, in any order of the loops: this makes dense runs.
  std::ranges::stable_sort(dims, {}, &Dim::step);
  BoxList boxes;
  for (const AddressRange& offsets : UopOffsets(operand, uops)) {
    boxes.Add(operand.base + offsets.begin, offsets.end - offsets.begin - 1 + operand.extent, dims);
  }
  return boxes.Take();
}

}  // namespace

void Normalize(std::vector<AddressRange>& intervals) {
  std::erase_if(intervals, [](const AddressRange& r) { return r.begin >= r.end; });
  if (!std::is_sorted(
          intervals.begin(), intervals.end(),
          [](const AddressRange& a, const AddressRange& b) { return a.begin < b.begin; })) {
    std::sort(intervals.begin(), intervals.end(),
              [](const AddressRange& a, const AddressRange& b) { return a.begin < b.begin; });
  }
  size_t kept = 0;
  for (const AddressRange& r : intervals) {
    if (kept > 0 && intervals[kept - 1].end >= r.begin) {
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, r.end);
    } else {
      intervals[kept++] = r;
    }
  }
  intervals.resize(kept);
}

std::vector<Access> Accesses(const Insn& insn, const Config& config, std::span<const Uop> uops) {
  const InsnNest nest = NestOf(insn, config);
  std::vector<Access> accesses;
  if (nest.steps() == 0) return accesses;
  for (const NestOperand& operand : nest.operands()) {
    if (!Touched(nest, operand, uops)) continue;
    std::vector<AddressRange> intervals = IntervalsOf(nest, operand, uops);
    if (intervals.empty()) continue;
    const auto same = std::ranges::find_if(accesses, [&](const Access& a) {
      return a.space == operand.space && a.write == operand.write;
    });
    if (same == accesses.end()) {
      accesses.push_back({operand.space, operand.write, std::move(intervals)});
      continue;
    }
    same->intervals.insert(same->intervals.end(), intervals.begin(), intervals.end());
    Normalize(same->intervals);
  }
  return accesses;
}

}  // namespace tessera::isa
