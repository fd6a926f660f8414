// SPDX-License-Identifier: Apache-2.0
#include "sim/rig/shrink.h"

#include <algorithm>
#include <bit>
#include <span>

#include "isa/check/check.h"
#include "sim/rig/program.h"
#include "sim/rig/token_pairs.h"

namespace tessera::rig {
namespace {

constexpr size_t kDataStep = 8;  // bytes: a micro-op

class Shrinker {
 public:
  Shrinker(const isa::ProgramImage& image, const isa::Config& config,
           const std::function<bool(const isa::ProgramImage&)>& fails, int max_trials)
      : image_(image),
        config_(config),
        fails_(fails),
        trials_(max_trials),
        program_(FetchAll(image, config)) {}

  isa::ProgramImage Run() {
    bool smaller = true;
    while (smaller && trials_ > 0) {
      smaller = false;
      while (DropRanges() | DropTokens()) smaller = true;
      smaller |= ReduceFields();
      smaller |= ReduceData();
    }
    return WithProgram(image_, program_, config_);
  }

 private:
  // Keeps |program| if it is legal and still fails. Returns whether it was kept.
  bool Try(FetchedProgram program) {
    if (trials_ <= 0) return false;
    const isa::ProgramImage image = WithProgram(image_, program, config_);
    if (!CheckProgram(image, config_).ok()) return false;
    --trials_;
    if (!fails_(image)) return false;
    program_ = std::move(program);
    return true;
  }

  // Drops instructions, many at once first, and the last ones first, because later instructions
  // read the results of earlier ones.
  bool DropRanges() {
    bool any = false;
    for (size_t size = std::max<size_t>(program_.size() / 2, 1); size >= 1; size /= 2) {
      for (size_t end = program_.size() - 1; end > 0;) {  // FINISH stays
        const size_t begin = end > size ? end - size : 0;
        any |= DropRange(begin, end);
        end = begin;
      }
    }
    return any;
  }

  // An instruction that pops and pushes tokens becomes one that only moves tokens, so that the
  // other instructions stay in order. A single instruction may also pass its tokens to its
  // neighbours.
  bool DropRange(size_t begin, size_t end) {
    FetchedProgram less = program_;
    bool changed = false;
    for (size_t n = end; n-- > begin;) {
      if (less[n].pop == 0 || less[n].push == 0) {
        Erase(less, n, TokenHeir::kBoth);
        changed = true;
      } else if (!Carries(less[n])) {
        less[n].insn = Carrier(image_.profile, static_cast<int>(less[n].unit));
        changed = true;
      }
    }
    if (changed && Try(std::move(less))) return true;
    if (end - begin > 1) return false;
    for (const TokenHeir heir : {TokenHeir::kBoth, TokenHeir::kNext, TokenHeir::kPrev}) {
      less = program_;
      Erase(less, begin, heir);
      if (Try(std::move(less))) return true;
    }
    return false;
  }

  bool Carries(const isa::Fetched& f) const {
    isa::AnyInsn bare = f.insn;
    SetTokens(bare, static_cast<int>(f.unit), 0, 0);
    return bare == Carrier(image_.profile, static_cast<int>(f.unit));
  }

  // Drops pairs of tokens, many at once first.
  bool DropTokens() {
    bool any = false;
    for (size_t size = std::max<size_t>(PairsOf(program_).size() / 2, 1); size >= 1; size /= 2) {
      for (size_t end = PairsOf(program_).size(); end > 0;) {
        const size_t begin = end > size ? end - size : 0;
        const std::vector<TokenPair> pairs = PairsOf(program_);
        FetchedProgram less = program_;
        for (size_t n = end; n-- > begin;) TakePair(less, pairs[n]);
        any |= Try(std::move(less));
        end = begin;
      }
    }
    return any;
  }

  // Sets each field to 0, 1 or half its value: the first of these that still fails.
  bool ReduceFields() {
    bool any = false;
    for (size_t n = program_.size(); n-- > 0;) {
      for (int field = 0; field < FieldCount(program_[n].insn); ++field) {
        const int64_t value = FieldAt(program_[n].insn, field);
        for (int64_t smaller : {int64_t{0}, int64_t{1}, value / 2}) {
          if (value == smaller || (value == 1 && smaller != 0) || value == 0) continue;
          FetchedProgram less = program_;
          FieldAt(less[n].insn, field) = smaller;
          if (!Try(std::move(less))) continue;
          any = true;
          break;
        }
      }
    }
    return any;
  }

  // Removes segments; if that does not fail any more, shortens their data and zeroes the rest,
  // halves first.
  bool ReduceData() {
    bool any = false;
    for (isa::SegmentData& segment : image_.segments) {
      if (segment.size == 0) continue;
      if (TryData(segment, {})) {
        any = true;
        continue;
      }
      for (size_t step = std::bit_floor(segment.data.size()); step >= kDataStep; step /= 2) {
        if (segment.data.size() < step) continue;
        isa::SegmentData less = segment;
        less.data.resize(less.data.size() - step);
        any |= TryData(segment, std::move(less));
      }
      any |= ZeroData(segment, 0, segment.data.size());
    }
    return any;
  }
  bool ZeroData(isa::SegmentData& segment, size_t begin, size_t end) {
    const auto zero = [](uint8_t byte) { return byte == 0; };
    isa::SegmentData less = segment;
    const std::span<uint8_t> bytes = std::span(less.data).subspan(begin, end - begin);
    if (std::ranges::all_of(bytes, zero)) return false;
    std::ranges::fill(bytes, 0);
    if (TryData(segment, std::move(less))) return true;
    const size_t half = (end - begin) / 2 / kDataStep * kDataStep;
    if (half == 0) return false;
    const bool upper = ZeroData(segment, begin + half, end);
    return ZeroData(segment, begin, begin + half) || upper;
  }
  bool TryData(isa::SegmentData& segment, isa::SegmentData less) {
    std::swap(segment, less);
    if (Try(program_)) return true;
    segment = std::move(less);
    return false;
  }

  // Calls |f| for every field of an instruction, with its name.
  template <typename F>
  static void ForFields(isa::AnyInsn& insn, F&& f) {
    if (isa::Insn* one = std::get_if<isa::Insn>(&insn)) {
      std::visit(
          [&](auto& v) {
            ForEachField(v,
                         [&](const isa::FieldRow& field, int64_t& value) { f(field.name, value); });
          },
          *one);
    } else {
      std::visit(
          [&](auto& v) {
            ForEachField(
                v, [&](const isa::VtaFieldRow& field, int64_t& value) { f(field.name, value); });
          },
          std::get<isa::VtaInsn>(insn));
    }
  }
  static bool IsToken(std::string_view name) {
    return name.starts_with("pop") || name.starts_with("push");
  }
  static int FieldCount(isa::AnyInsn& insn) {
    int count = 0;
    ForFields(insn, [&](std::string_view name, int64_t&) { count += !IsToken(name); });
    return count;
  }
  static int64_t& FieldAt(isa::AnyInsn& insn, int index) {
    int64_t* found = nullptr;
    ForFields(insn, [&](std::string_view name, int64_t& value) {
      if (!IsToken(name) && index-- == 0) found = &value;
    });
    return *found;
  }

  isa::ProgramImage image_;
  const isa::Config& config_;
  const std::function<bool(const isa::ProgramImage&)>& fails_;
  int trials_;
  FetchedProgram program_;
};

}  // namespace

isa::ProgramImage Shrink(const isa::ProgramImage& image, const isa::Config& config,
                         const std::function<bool(const isa::ProgramImage&)>& fails,
                         int max_trials) {
  return Shrinker(image, config, fails, max_trials).Run();
}

}  // namespace tessera::rig
