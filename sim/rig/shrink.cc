// SPDX-License-Identifier: Apache-2.0
#include "sim/rig/shrink.h"

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "isa/asm/asm.h"
#include "isa/check/check.h"
#include "sim/rig/program.h"

namespace tessera::rig {
namespace {

using Program = std::vector<isa::Fetched>;

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
      smaller = DropRanges();
      smaller |= DropTokens();
      smaller |= ReduceFields();
      smaller |= ClearData();
    }
    return WithProgram(image_, program_, config_);
  }

 private:
  // Keeps |program| if it is legal and still fails.
  bool Try(Program program) {
    if (trials_ <= 0) return false;
    const isa::ProgramImage image = WithProgram(image_, program, config_);
    if (!CheckProgram(image, config_).ok()) return false;
    --trials_;
    if (!fails_(image)) return false;
    program_ = std::move(program);
    return true;
  }

  // Drops instructions, many at once first; their tokens go with the partners that match them.
  bool DropRanges() {
    bool any = false;
    for (size_t size = program_.size() / 2; size >= 1; size /= 2) {
      for (size_t first = 0; first + size < program_.size();) {
        Program less = program_;
        for (size_t n = first; n < first + size; ++n) DetachTokens(less, n);
        less.erase(less.begin() + static_cast<int64_t>(first),
                   less.begin() + static_cast<int64_t>(first + size));
        if (Try(std::move(less))) {
          any = true;
        } else {
          first += size;
        }
      }
    }
    return any;
  }

  // Takes the tokens of instruction |n| out, with the other end of each.
  void DetachTokens(Program& program, size_t n) {
    for (int other = 0; other < isa::kUnits; ++other) {
      const int unit = static_cast<int>(program[n].unit);
      if ((program[n].push >> other) & 1)
        TakePair(program, unit, other, Rank(program, n, unit, other));
      if ((program[n].pop >> other) & 1)
        TakePair(program, other, unit, Rank(program, n, other, unit));
    }
  }

  static bool Pushes(const isa::Fetched& f, int from, int to) {
    return static_cast<int>(f.unit) == from && ((f.push >> to) & 1);
  }
  static bool Pops(const isa::Fetched& f, int from, int to) {
    return static_cast<int>(f.unit) == to && ((f.pop >> from) & 1);
  }

  // How many of its kind come before instruction |n| on the edge from |from| to |to|.
  static size_t Rank(const Program& program, size_t n, int from, int to) {
    size_t rank = 0;
    const bool pushes = Pushes(program[n], from, to);
    for (size_t i = 0; i < n; ++i)
      rank += pushes ? Pushes(program[i], from, to) : Pops(program[i], from, to);
    return rank;
  }

  // Takes push and pop number |rank| of the edge; false if it has not so many.
  static bool TakePair(Program& program, int from, int to, size_t rank) {
    bool found = false;
    size_t pushes = 0, pops = 0;
    for (isa::Fetched& f : program) {
      if (Pushes(f, from, to) && pushes++ == rank)
        f.push &= static_cast<uint8_t>(~(1 << to)), found = true;
      if (Pops(f, from, to) && pops++ == rank)
        f.pop &= static_cast<uint8_t>(~(1 << from)), found = true;
    }
    return found;
  }

  bool DropTokens() {
    bool any = false;
    for (int from = 0; from < isa::kUnits; ++from) {
      for (int to = 0; to < isa::kUnits; ++to) {
        for (size_t rank = 0;;) {
          Program less = program_;
          if (!TakePair(less, from, to, rank)) break;
          if (Try(std::move(less))) {
            any = true;
          } else {
            ++rank;
          }
        }
      }
    }
    return any;
  }

  // Sets each field to 0, 1 or a half of it, the least that still fails.
  bool ReduceFields() {
    bool any = false;
    for (size_t n = 0; n < program_.size(); ++n) {
      for (int field = 0; field < FieldCount(program_[n].insn); ++field) {
        const int64_t value = FieldAt(program_[n].insn, field);
        for (int64_t smaller : {int64_t{0}, int64_t{1}, value / 2}) {
          if (value == smaller || (value == 1 && smaller != 0) || value == 0) continue;
          Program less = program_;
          FieldAt(less[n].insn, field) = smaller;
          if (!Try(std::move(less))) continue;
          any = true;
          break;
        }
      }
    }
    return any;
  }

  // Segments that the program no longer needs.
  bool ClearData() {
    bool any = false;
    for (isa::SegmentData& segment : image_.segments) {
      if (segment.size == 0) continue;
      const isa::SegmentData old = std::exchange(segment, {});
      if (Try(program_)) {
        any = true;
      } else {
        segment = old;
      }
    }
    return any;
  }

  // The fields of an instruction after its tokens, by number.
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
  Program program_;
};

}  // namespace

isa::ProgramImage Shrink(const isa::ProgramImage& image, const isa::Config& config,
                         const std::function<bool(const isa::ProgramImage&)>& fails,
                         int max_trials) {
  return Shrinker(image, config, fails, max_trials).Run();
}

Result<std::string> KeepProgram(const std::string& folder, const std::string& name,
                                const std::string& why, const isa::ProgramImage& image,
                                const isa::Config& config) {
  std::string text;
  std::istringstream lines(why);
  for (std::string line; std::getline(lines, line);) text += "; " + line + "\n";
  const isa::Config configs[] = {config};
  text += isa::Disassemble(image, configs);
  // By name alone: the hash would go stale with the next change of the instruction set.
  if (const auto named = isa::LoadConfig(config.name); named && *named == config) {
    const std::string hash = fmt::format(" 0x{:016x}", config.Hash());
    text.erase(text.find(hash), hash.size());
  }
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);  // what is wrong, WriteFile says
  const std::string path = fmt::format("{}/{}.tsr.s", folder, name);
  TESSERA_TRY(WriteFile(path, text));
  return path;
}

}  // namespace tessera::rig
