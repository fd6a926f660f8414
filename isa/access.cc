// SPDX-License-Identifier: Apache-2.0
#include "isa/access.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::isa {
namespace {

struct Dim {
  int64_t count;
  int64_t step;
};

// A strided box as a growing list of intervals: dimensions that continue the run before them are
// folded into it, so that dense boxes cost one interval.
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

// Collects the accesses of one instruction.
class Collector {
 public:
  void Add(Space space, bool write, BoxList boxes) {
    std::vector<AddressRange> intervals = boxes.Take();
    if (intervals.empty()) return;
    for (Access& a : accesses_) {
      if (a.space == space && a.write == write) {
        a.intervals.insert(a.intervals.end(), intervals.begin(), intervals.end());
        Normalize(a.intervals);
        return;
      }
    }
    accesses_.push_back({space, write, std::move(intervals)});
  }

  void Box(Space space, bool write, int64_t base, std::initializer_list<Dim> dims,
           int64_t width = 1) {
    BoxList boxes;
    boxes.Add(base, width, std::span(dims.begin(), dims.size()));
    Add(space, write, std::move(boxes));
  }

  std::vector<Access> Take() { return std::move(accesses_); }

 private:
  std::vector<Access> accesses_;
};

Space VectorSpace(int64_t memory) {
  switch (static_cast<VectorMemory>(memory)) {
    case VectorMemory::kAcc:
      return Space::Of(Memory::kAcc);
    case VectorMemory::kOut:
      return Space::Of(Memory::kOut);
    default:
      return Space::Of(Memory::kInp);
  }
}

void Collect(const Load& v, const Config& config, Collector& out) {
  const int64_t x = v.x_pad_0 + v.x_size + v.x_pad_1;
  const int64_t y = v.y_pad_0 + v.y_size + v.y_pad_1;
  const auto memory = static_cast<Memory>(v.memory);
  out.Box(Space::Of(memory), true, v.sram_base, {{x * y * v.z_size, 1}});
  // A tile of UOP or PRM is its record; elsewhere x_bytes come from memory.
  out.Box(Space::OfSegment(v.segment), false, v.dram_base,
          {{v.x_size, v.x_step}, {v.y_size, v.y_step}, {v.z_size, v.z_step}}, v.x_bytes);
  static_cast<void>(config);
}

void Collect(const Store& v, Collector& out) {
  out.Box(Space::Of(Memory::kOut), false, v.sram_base, {{v.x_size * v.y_size * v.z_size, 1}});
  out.Box(Space::OfSegment(v.segment), true, v.dram_base,
          {{v.x_size, v.x_step}, {v.y_size, v.y_step}, {v.z_size, v.z_step}}, v.x_bytes);
}

void Collect(const Gemm& v, std::span<const Uop> uops, Collector& out) {
  BoxList dst, dst_read, src, wgt;
  // The offsets of all micro-ops as intervals first: then the loops run over a few dense runs.
  auto spread = [&](BoxList& list, int64_t base, std::vector<AddressRange> offsets, int64_t in,
                    int64_t o) {
    Normalize(offsets);
    const Dim dims[] = {{v.iter_in, in}, {v.iter_out, o}};
    for (const AddressRange& r : offsets) list.Add(base + r.begin, r.end - r.begin, dims);
  };
  std::vector<AddressRange> d, s, w;
  for (const Uop& u : uops) {
    d.push_back({u.dst, u.dst + 1});
    s.push_back({u.src, u.src + 1});
    w.push_back({u.wgt, u.wgt + 1});
  }
  if (v.iter_in <= 0 || v.iter_out <= 0 || uops.empty()) return;
  spread(dst, v.dst_base, d, v.dst_in, v.dst_out);
  spread(src, v.src_base, std::move(s), v.src_in, v.src_out);
  spread(wgt, v.wgt_base, std::move(w), v.wgt_in, v.wgt_out);
  spread(dst_read, v.dst_base, std::move(d), v.dst_in, v.dst_out);
  out.Box(Space::Of(Memory::kUop), false, v.uop_begin, {{v.uop_count, 1}});
  out.Add(Space::Of(Memory::kInp), false, std::move(src));
  out.Add(Space::Of(Memory::kWgt), false, std::move(wgt));
  // An accumulator that only init micro-ops touch first is written, not read; telling them apart
  // changes nothing for ordering (the write conflicts with all that the read does).
  bool reads = false;
  for (const Uop& u : uops) reads |= u.init == 0;
  if (reads) out.Add(Space::Of(Memory::kAcc), false, std::move(dst_read));
  out.Add(Space::Of(Memory::kAcc), true, std::move(dst));
}

void Collect(const Depthwise& v, const Config& config, Collector& out) {
  const int64_t taps = v.kh * v.kw;
  const Dim z{v.iter_z, v.dst_z}, o{v.iter_out, v.dst_out}, i{v.iter_in, v.dst_in};
  if (v.iter_z <= 0 || v.iter_out <= 0 || v.iter_in <= 0 || taps <= 0) return;
  out.Box(Space::Of(Memory::kInp), false, v.src_base,
          {{v.kw, v.win_x},
           {v.iter_in, v.src_in},
           {v.kh, v.win_y},
           {v.iter_out, v.src_out},
           {v.iter_z, v.src_z}});
  out.Box(Space::Of(Memory::kWgt), false, v.wgt_base,
          {{CeilDiv(taps, config.block_out), 1}, {v.iter_z, v.wgt_z}});
  if (v.init == 0) out.Box(Space::Of(Memory::kAcc), false, v.dst_base, {i, o, z});
  out.Box(Space::Of(Memory::kAcc), true, v.dst_base, {i, o, z});
}

void Collect(const Requant& v, Collector& out) {
  const Dim so{v.iter_out, v.src_out}, si{v.iter_in, v.src_in};
  out.Box(VectorSpace(v.src_mem), false, v.src_base, {si, so});
  if (v.per_tensor == 0) {
    out.Box(Space::Of(Memory::kPrm), false, v.prm_base,
            {{v.iter_in, v.prm_in}, {v.iter_out, v.prm_out}});
  }
  out.Box(VectorSpace(v.dst_mem), true, v.dst_base,
          {{v.iter_in, v.dst_in}, {v.iter_out, v.dst_out}});
  if (v.clear != 0 && static_cast<VectorMemory>(v.src_mem) == VectorMemory::kAcc) {
    out.Box(Space::Of(Memory::kAcc), true, v.src_base, {si, so});
  }
}

void Collect(const Add& v, Collector& out) {
  const Dim di{v.iter_in, v.dst_in}, o{v.iter_out, v.dst_out};
  out.Box(VectorSpace(v.src_mem), false, v.src_base,
          {{v.iter_in, v.src_in}, {v.iter_out, v.src_out}});
  out.Box(Space::Of(Memory::kAcc), false, v.acc_base, {di, o});
  out.Box(VectorSpace(v.dst_mem), true, v.dst_base, {di, o});
  if (v.clear != 0) out.Box(Space::Of(Memory::kAcc), true, v.acc_base, {di, o});
}

void Collect(const Alu& v, Collector& out) {
  const Dim di{v.iter_in, v.dst_in}, o{v.iter_out, v.dst_out};
  if (v.red_in <= 0 || v.red_out <= 0) return;
  if (static_cast<VectorMemory>(v.src_mem) != VectorMemory::kImm) {
    out.Box(VectorSpace(v.src_mem), false, v.src_base,
            {{v.red_in, v.red_in_step},
             {v.iter_in, v.src_in},
             {v.red_out, v.red_out_step},
             {v.iter_out, v.src_out}});
  }
  // Neither a move nor a single first reduction step reads what it replaces.
  const bool moves =
      static_cast<AluOp>(v.alu_op) == AluOp::kMov || (v.init != 0 && v.red_in * v.red_out == 1);
  if (!moves) out.Box(Space::Of(Memory::kAcc), false, v.dst_base, {di, o});
  out.Box(Space::Of(Memory::kAcc), true, v.dst_base, {di, o});
}

}  // namespace

std::string Text(Space space) {
  if (space.is_segment()) return fmt::format("segment {}", space.segment());
  return std::string(Text(space.memory()));
}

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

bool Overlap(std::span<const AddressRange> a, std::span<const AddressRange> b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].end <= b[j].begin) {
      ++i;
    } else if (b[j].end <= a[i].begin) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

std::vector<Access> Accesses(const Insn& insn, const Config& config, std::span<const Uop> uops) {
  Collector out;
  if (const auto* load = std::get_if<Load>(&insn)) Collect(*load, config, out);
  if (const auto* store = std::get_if<Store>(&insn)) Collect(*store, out);
  if (const auto* gemm = std::get_if<Gemm>(&insn)) Collect(*gemm, uops, out);
  if (const auto* depthwise = std::get_if<Depthwise>(&insn)) Collect(*depthwise, config, out);
  if (const auto* requant = std::get_if<Requant>(&insn)) Collect(*requant, out);
  if (const auto* add = std::get_if<Add>(&insn)) Collect(*add, out);
  if (const auto* alu = std::get_if<Alu>(&insn)) Collect(*alu, out);
  return out.Take();
}

}  // namespace tessera::isa
