// SPDX-License-Identifier: Apache-2.0
#include "jit/program_builder.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/bits.h"
#include "base/check.h"
#include "base/hash.h"
#include "isa/encoding.h"
#include "jit/unit_clock.h"

namespace tessera::jit {

using isa::Memory;
using isa::Segment;

ProgramBuilder::ProgramBuilder(const isa::Config& config)
    : config_(config), residency_(config.Depth(Memory::kUop)) {}

void ProgramBuilder::BeginSource(uint32_t layer, std::string op) {
  const auto at = static_cast<uint32_t>(insns_.size());
  if (!source_.empty()) {
    source_.back().end = at;
    if (source_.back().begin == at) source_.pop_back();
  }
  source_.push_back({at, at, layer, std::move(op)});
}

void ProgramBuilder::Append(isa::Insn insn, std::span<const isa::Uop> uops) {
  Count(insn);
  nodes_.push_back({isa::UnitOf(insn), isa::Accesses(insn, config_, uops)});
  insns_.push_back(std::move(insn));
}

void ProgramBuilder::Emit(isa::Insn insn) {
  TESSERA_CHECK(!std::holds_alternative<isa::Gemm>(insn) &&
                !std::holds_alternative<isa::Sync>(insn) &&
                !std::holds_alternative<isa::Finish>(insn));
  Append(std::move(insn), {});
}

Status ProgramBuilder::EmitGemm(isa::Gemm gemm, std::span<const isa::Uop> uops) {
  TESSERA_ASSIGN(const int kernel, kernels_.Intern(uops));
  const auto count = static_cast<int64_t>(uops.size());
  TESSERA_ASSIGN(const KernelResidency::KernelSlot place, residency_.Use(kernel, count));
  if (place.load) {
    constexpr int64_t kRow = 4096;  // micro-ops of one load
    static_assert(kRow <= isa::GreatestOf("Load.x_size"));
    for (int64_t done = 0; done < count; done += kRow) {
      isa::Load load;
      load.memory = static_cast<int64_t>(Memory::kUop);
      load.segment = static_cast<int64_t>(Segment::kUops);
      load.x_bytes = load.x_step = isa::Config::uop_tile_bytes();
      load.sram_base = place.begin + done;
      load.dram_base = kernels_.offset(kernel) + done * isa::Config::uop_tile_bytes();
      load.x_size = std::min(kRow, count - done);
      load.y_size = load.z_size = 1;
      if (place.fresh) movable_.push_back(insns_.size());
      Append(load, {});
    }
    ++stats_.kernel_loads;
  }
  gemm.uop_begin = place.begin;
  gemm.uop_count = count;
  Append(gemm, uops);
  return {};
}

int64_t ProgramBuilder::AddConstants(std::span<const uint8_t> bytes, int64_t align) {
  const uint64_t hash = Crc64(bytes);
  const auto size = static_cast<int64_t>(bytes.size());
  const auto [first, last] = constants_by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const auto [offset, length] = it->second;
    if (length == size && offset % align == 0 &&
        std::equal(bytes.begin(), bytes.end(), constants_.begin() + offset)) {
      return offset;
    }
  }
  const int64_t offset = ReserveConstants(size, align);
  std::copy(bytes.begin(), bytes.end(), constants_.begin() + offset);
  constants_by_hash_.emplace(hash, std::pair{offset, size});
  return offset;
}

int64_t ProgramBuilder::ReserveConstants(int64_t bytes, int64_t align) {
  const int64_t offset = RoundUp(static_cast<int64_t>(constants_.size()), align);
  constants_.resize(static_cast<size_t>(offset + bytes));
  return offset;
}

void ProgramBuilder::ReserveSegment(Segment segment, int64_t bytes) {
  int64_t& size = reserved_[static_cast<size_t>(segment)];
  size = std::max(size, bytes);
}

void ProgramBuilder::Count(const isa::Insn& insn) {
  ++stats_.instructions;
  const isa::InsnNest nest = isa::NestOf(insn, config_);
  for (const isa::NestOperand& o : nest.operands()) {
    if (!o.space.is_segment()) continue;
    int64_t bytes = o.extent;
    for (int l = 0; l < nest.loop_count; ++l) bytes *= nest.CountFor(o, l);
    (o.write ? stats_.store_bytes : stats_.load_bytes) += bytes;
  }
  const int64_t cycles = StepCyclesOf(insn, nest, config_);
  if (isa::UnitOf(insn) == isa::Unit::kGemm) stats_.gemm_steps += cycles;
  if (isa::UnitOf(insn) == isa::Unit::kVector) stats_.vector_steps += cycles;
}

std::string ProgramBuilder::Where(size_t instruction) const {
  for (const isa::SourceRange& range : source_) {
    if (instruction >= range.begin && instruction < range.end) {
      return fmt::format("instruction {} ({})", instruction, range.op);
    }
  }
  return fmt::format("instruction {}", instruction);
}

// Moves each instruction of |movable_| to the front of the first source range of its layer.
void ProgramBuilder::MoveKernelLoads() {
  std::vector<std::vector<size_t>> front(source_.size());
  std::vector<bool> moved(insns_.size());
  for (const size_t n : movable_) {
    const auto here = std::ranges::upper_bound(source_, n, {}, &isa::SourceRange::end);
    if (here == source_.end() || n < here->begin) continue;
    const auto first = std::ranges::find(source_, here->layer, &isa::SourceRange::layer);
    front[static_cast<size_t>(first - source_.begin())].push_back(n);
    moved[n] = true;
  }
  std::vector<isa::Insn> insns;
  std::vector<TokenNode> nodes;
  const auto take = [&](size_t n) {
    insns.push_back(std::move(insns_[n]));
    nodes.push_back(std::move(nodes_[n]));
  };
  size_t next = 0;
  std::vector<isa::SourceRange> source;
  for (size_t r = 0; r < source_.size(); ++r) {
    for (; next < source_[r].begin; ++next) take(next);
    const auto begin = static_cast<uint32_t>(insns.size());
    for (const size_t n : front[r]) take(n);
    for (; next < source_[r].end; ++next) {
      if (!moved[next]) take(next);
    }
    if (insns.size() > begin)
      source.push_back(
          {begin, static_cast<uint32_t>(insns.size()), source_[r].layer, std::move(source_[r].op)});
  }
  for (; next < insns_.size(); ++next) take(next);
  insns_ = std::move(insns);
  nodes_ = std::move(nodes);
  source_ = std::move(source);
}

void ProgramBuilder::Take(LoadOrder order) {
  const std::vector<isa::SourceRange> was = std::exchange(source_, {});
  for (size_t n = 0; n < order.from.size(); ++n) {
    const auto range = std::ranges::upper_bound(was, order.from[n], {}, &isa::SourceRange::end);
    if (range == was.end() || order.from[n] < range->begin) continue;
    const auto at = static_cast<uint32_t>(n);
    const bool goes_on = !source_.empty() && source_.back().end == at &&
                         source_.back().layer == range->layer && source_.back().op == range->op;
    if (!goes_on) source_.push_back({at, at, range->layer, range->op});
    ++source_.back().end;
  }
  insns_ = std::move(order.insns);
  stats_.instructions = static_cast<int64_t>(insns_.size());
}

Result<isa::ProgramImage> ProgramBuilder::Finish() {
  const auto count = static_cast<uint32_t>(insns_.size());
  if (!source_.empty()) {
    source_.back().end = count;
    if (source_.back().begin == count) source_.pop_back();
  }
  MoveKernelLoads();
  const int64_t token_depth = config_.TokenDepth(isa::Profile::kTessera);
  LoadOrder order = OrderLoads(insns_, nodes_, config_);
  Result<std::vector<TokenMasks>> inserted = InsertTokens(order.nodes, token_depth);
  if (inserted) {
    Take(std::move(order));
  } else {
    // Some loads are far ahead of their users: more tokens under way than a counter holds.
    inserted = InsertTokens(nodes_, token_depth);
  }
  if (!inserted) return std::unexpected(inserted.error());
  const std::vector<TokenMasks>& masks = *inserted;
  isa::ProgramImage image;
  image.profile = isa::Profile::kTessera;
  image.config_hash = config_.Hash();
  image.config_name = config_.name;
  image.source = std::move(source_);
  for (size_t n = 0; n < insns_.size(); ++n) {
    std::visit(
        [&](auto& insn) {
          insn.pop = masks[n].pop;
          insn.push = masks[n].push;
        },
        insns_[n]);
    stats_.tokens += std::popcount(masks[n].push);
    auto word = isa::Encode(insns_[n]);
    if (!word) {
      source_ = image.source;
      return Within(Where(n), std::move(word).error());
    }
    image.Append(*word);
  }
  TESSERA_ASSIGN(const isa::InsnWord finish, isa::Encode(isa::Finish{}));
  image.Append(finish);
  ++stats_.instructions;
  stats_.kernels = kernels_.size();

  auto set = [&](Segment segment, std::vector<uint8_t> data) {
    isa::SegmentData& s = image.segments[static_cast<size_t>(segment)];
    s.size = std::max(static_cast<uint64_t>(reserved_[static_cast<size_t>(segment)]),
                      uint64_t{data.size()});
    s.data = std::move(data);
  };
  set(Segment::kUops, kernels_.data());
  set(Segment::kConstants, std::move(constants_));
  for (Segment s : {Segment::kArena, Segment::kInput, Segment::kOutput}) set(s, {});
  return image;
}

}  // namespace tessera::jit
