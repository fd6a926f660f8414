// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/validate/rewrite.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "isa/encoding.h"
#include "jit/tokens.h"

namespace tessera::test {
namespace {

void SetTokens(isa::Insn& insn, int64_t pop, int64_t push) {
  std::visit([&](auto& i) { i.pop = pop, i.push = push; }, insn);
}

// Fills in what each instruction touches. Micro-ops are those that are loaded at its place.
void FindAccesses(BareProgram& program, const isa::ProgramImage& image, const isa::Config& config) {
  const std::vector<uint8_t>& data = image.segments[static_cast<size_t>(isa::Segment::kUops)].data;
  std::vector<isa::Uop> uops(static_cast<size_t>(config.Depth(isa::Memory::kUop)));
  for (BareInsn& bare : program) {
    std::vector<isa::Uop> run;
    if (const auto* gemm = std::get_if<isa::Gemm>(&bare.insn)) {
      const auto first = uops.begin() + gemm->uop_begin;
      run.assign(first, first + gemm->uop_count);
    }
    const auto* load = std::get_if<isa::Load>(&bare.insn);
    if (load != nullptr && load->memory == static_cast<int64_t>(isa::Memory::kUop)) {
      TESSERA_CHECK(load->y_size == 1 && load->z_size == 1);
      for (int64_t x = 0; x < load->x_size; ++x) {
        uint64_t word = 0;
        std::memcpy(&word, &data[static_cast<size_t>(load->dram_base + x * load->x_step)], 8);
        uops[static_cast<size_t>(load->sram_base + x)] = isa::DecodeUop(word).value();
      }
    }
    bare.accesses = isa::Accesses(bare.insn, config, run);
  }
}

}  // namespace

BareProgram TakeApart(const isa::ProgramImage& image, const isa::Config& config) {
  BareProgram program;
  for (int64_t n = 0; n < image.insn_count(); ++n) {
    BareInsn bare{.insn = isa::Decode(image.Word(n)).value()};
    if (std::holds_alternative<isa::Finish>(bare.insn)) continue;
    bare.unit = isa::UnitOf(bare.insn);
    SetTokens(bare.insn, 0, 0);
    for (const isa::SourceRange& range : image.source) {
      if (n >= range.begin && n < range.end) bare.layer = range.layer, bare.op = range.op;
    }
    program.push_back(std::move(bare));
  }
  FindAccesses(program, image, config);
  return program;
}

Result<isa::ProgramImage> PutTogether(BareProgram program, const isa::ProgramImage& image,
                                      const isa::Config& config) {
  FindAccesses(program, image, config);
  std::vector<jit::TokenNode> nodes;
  for (const BareInsn& bare : program) nodes.push_back({bare.unit, bare.accesses});
  TESSERA_ASSIGN(const std::vector<jit::TokenMasks> masks,
                 jit::InsertTokens(nodes, config.TokenDepth(isa::Profile::kTessera)));
  isa::ProgramImage made = image;
  made.code.clear();
  made.source.clear();
  for (size_t n = 0; n < program.size(); ++n) {
    SetTokens(program[n].insn, masks[n].pop, masks[n].push);
    TESSERA_ASSIGN(const isa::InsnWord word, isa::Encode(program[n].insn));
    made.Append(word);
    const auto at = static_cast<uint32_t>(n);
    if (made.source.empty() || made.source.back().layer != program[n].layer)
      made.source.push_back({at, at, program[n].layer, program[n].op});
    made.source.back().end = at + 1;
  }
  TESSERA_ASSIGN(const isa::InsnWord finish, isa::Encode(isa::Finish{}));
  made.Append(finish);
  return made;
}

bool MeetIn(isa::Space space, const BareInsn& a, bool a_writes, const BareInsn& b, bool b_writes) {
  for (const isa::Access& x : a.accesses) {
    for (const isa::Access& y : b.accesses) {
      if (x.space != space || y.space != space || x.write != a_writes || y.write != b_writes)
        continue;
      for (const isa::AddressRange& r : x.intervals) {
        for (const isa::AddressRange& s : y.intervals) {
          if (r.begin < s.end && s.begin < r.end) return true;
        }
      }
    }
  }
  return false;
}

bool Meet(const BareInsn& a, const BareInsn& b) {
  for (uint8_t space = 0; space < isa::kSpaces; ++space) {
    for (const auto& [x, y] : {std::pair{true, true}, {true, false}, {false, true}}) {
      if (MeetIn({space}, a, x, b, y)) return true;
    }
  }
  return false;
}

BareProgram MoveBefore(const BareProgram& program, size_t later, size_t before) {
  std::vector<size_t> moved{later};
  for (size_t k = later; k-- > before + 1;) {
    if (std::ranges::any_of(moved, [&](size_t m) { return Meet(program[k], program[m]); }))
      moved.push_back(k);
  }
  std::ranges::sort(moved);
  BareProgram made(program.begin(), program.begin() + static_cast<std::ptrdiff_t>(before));
  for (const size_t m : moved) made.push_back(program[m]);
  for (size_t k = before; k < program.size(); ++k) {
    if (!std::ranges::binary_search(moved, k)) made.push_back(program[k]);
  }
  return made;
}

}  // namespace tessera::test
