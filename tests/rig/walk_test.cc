// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the tables' loops and operands agree with the semantics, which are derived
// without them. For every instruction of random programs: the addresses that isa/check/walk.h
// writes against the writes that the semantics announce; the bytes that they announce against the
// step count; the reads by changing everything else before the run, which must not change the
// result; isa/access.h against the walk. Every read operand of the tables must matter in some
// instruction. Space: profiles tessera and vta, configurations tiny, default, batch4, wide. Not
// tested: fields without a meaning, addresses out of range.
#include "isa/check/walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <span>

#include "base/rng.h"
#include "isa/access.h"
#include "isa/encoding.h"
#include "isa/semantics/execute.h"
#include "sim/rig/program.h"
#include "sim/rig/rig.h"

namespace tessera::rig::walk_test {
namespace {

using isa::Space;
using Addresses = std::map<int, std::set<int64_t>>;  // space index -> tiles or bytes

constexpr int kSegmentBits = 17;  // segment s of the test lies at s << kSegmentBits

// Collects the tiles and bytes that the semantics write.
struct Writes {
  const isa::Config& config;
  isa::Profile profile;
  const std::array<uint64_t, isa::kSegments>& bases;
  Addresses* addresses;
  void operator()(isa::ByteSpace space, uint64_t address, const void*, const void*,
                  int64_t bytes) const {
    for (int64_t i = 0; i < bytes; ++i) {
      const int64_t at = static_cast<int64_t>(address) + i;
      if (space == isa::ByteSpace::kDram) {
        const int segment = static_cast<int>(at >> kSegmentBits);
        (*addresses)[Space::OfSegment(segment).index].insert(at -
                                                             static_cast<int64_t>(bases[segment]));
        continue;
      }
      for (const isa::MemoryRow& row : isa::kMemoryRows) {
        if (!row.lies_in && isa::ByteSpaceOf(row.memory) == space) {
          (*addresses)[static_cast<int>(row.memory)].insert(at /
                                                            config.TileBytes(row.memory, profile));
        }
      }
    }
  }
};

using isa::MachineState;

// The storage of tile |tile| of |memory| in |m|, as bytes; for a record without its padding.
std::span<std::byte> TileOf(MachineState& m, isa::Memory memory, int64_t tile) {
  const auto bytes = static_cast<size_t>(m.config.TileBytes(memory, m.profile));
  const auto stored = static_cast<size_t>(isa::RecordBytes(memory) * m.config.block_out);
  return std::as_writable_bytes(m.BytesOf(memory))
      .subspan(static_cast<size_t>(tile) * bytes, stored != 0 ? stored : bytes);
}

// A machine, the device memory that it sees, and the segments in it.
struct WalkedMachine {
  WalkedMachine(const isa::Config& config, isa::Profile profile)
      : dram(static_cast<size_t>(isa::kSegments) << kSegmentBits), state(config) {
    state.profile = profile;
    if (profile == isa::Profile::kVta) state.vta = isa::VtaCodec::Make(config).value();
    state.dram = dram;
  }
  WalkedMachine(const WalkedMachine& other) : dram(other.dram), state(other.state) {
    state.dram = dram;
  }
  WalkedMachine& operator=(const WalkedMachine&) = delete;

  std::vector<uint8_t> dram;
  MachineState state;
};

// Random contents for every tile and byte that |kept| does not name.
void Disturb(WalkedMachine& bench, const Addresses& kept, Rng& rng) {
  for (const isa::MemoryRow& row : isa::kMemoryRows) {
    const isa::Memory memory = row.memory;
    if (row.lies_in) continue;
    const auto it = kept.find(static_cast<int>(memory));
    for (int64_t tile = 0; tile < bench.state.Depth(memory); ++tile) {
      if (it != kept.end() && it->second.contains(tile)) continue;
      for (std::byte& byte : TileOf(bench.state, memory, tile))
        byte = static_cast<std::byte>(rng.Next());
    }
  }
  for (int s = 0; s < isa::kSegments; ++s) {
    const auto it = kept.find(Space::OfSegment(s).index);
    const int64_t base = int64_t{s} << kSegmentBits;
    for (uint64_t at = 0; at < bench.state.segments[s].size; ++at) {
      if (it != kept.end() && it->second.contains(static_cast<int64_t>(at))) continue;
      bench.dram[static_cast<size_t>(base) + at] = static_cast<uint8_t>(rng.Next());
    }
  }
}

// Whether both machines hold the same contents at |addresses|.
bool SameAt(WalkedMachine& a, WalkedMachine& b, const Addresses& addresses) {
  bool same = true;
  for (const auto& [index, set] : addresses) {
    const Space space{static_cast<uint8_t>(index)};
    for (const int64_t at : set) {
      if (space.is_segment()) {
        const size_t byte =
            (static_cast<size_t>(space.segment()) << kSegmentBits) + static_cast<size_t>(at);
        same = same && a.dram[byte] == b.dram[byte];
        continue;
      }
      same = same && std::ranges::equal(TileOf(a.state, space.memory(), at),
                                        TileOf(b.state, space.memory(), at));
    }
  }
  return same;
}

// Bytes that the semantics announce for each step, from the operands that a step writes.
int64_t BytesOfStep(const isa::InsnNest& nest, const isa::Config& config, isa::Profile profile) {
  int64_t bytes = 0;
  for (const isa::NestOperand& o : nest.operands()) {
    if (!o.write) continue;
    const bool record = o.space == Space::Of(isa::Memory::kPrm);
    bytes += o.space.is_segment() ? o.extent
             : record             ? isa::RecordBytes(isa::Memory::kPrm) * config.block_out
                                  : config.TileBytes(o.space.memory(), profile);
  }
  return bytes;
}

// Writes, with a count of the announced bytes.
struct CountedWrites {
  Writes writes;
  int64_t bytes = 0;
  void operator()(isa::ByteSpace space, uint64_t address, const void* before, const void* after,
                  int64_t count) {
    writes(space, address, before, after, count);
    bytes += count;
  }
};

// For each operand, as "Gemm.acc", the number of instructions in which its contents mattered.
using Mattered = std::map<std::string, int>;

// Compares the tables' account of |fetched| with its effect on |bench|, which it changes.
void CompareOne(const isa::Fetched& fetched, const std::array<uint64_t, isa::kSegments>& bases,
                WalkedMachine& bench, Rng& rng, Mattered& mattered) {
  const isa::Config& config = bench.state.config;
  const isa::Profile profile = bench.state.profile;
  std::vector<isa::Uop> uops;
  const isa::UopRange range = isa::UopsOf(fetched.insn, config);
  for (int64_t u = range.begin; u < range.begin + range.count; ++u) {
    isa::Uop uop;
    if (profile == isa::Profile::kVta) {
      isa::VtaUop vta;
      ASSERT_FALSE(ReadVtaUop(bench.state, u, &vta));
      uop = {vta.dst_idx, vta.src_idx, vta.wgt_idx, 0};
    } else {
      ASSERT_FALSE(ReadUop(bench.state, u, &uop));
    }
    uops.push_back(uop);
  }
  Addresses walked[2], written, unused;
  isa::Walk(fetched.insn, config, uops, [&](const isa::Touch& t) {
    for (int64_t i = 0; i < t.count; ++i) walked[t.write][t.space.index].insert(t.first + i);
  });

  WalkedMachine disturbed = bench;
  Disturb(disturbed, walked[0], rng);
  const WalkedMachine before = bench;
  CountedWrites writes{{config, profile, bases, &written}};
  ASSERT_FALSE(isa::ExecuteAny(fetched.insn, bench.state, writes));
  EXPECT_EQ(walked[1], written);
  const isa::InsnNest nest = isa::NestOf(fetched.insn, config);
  EXPECT_EQ(isa::Steps(fetched.insn), nest.steps());
  EXPECT_EQ(writes.bytes, nest.steps() * BytesOfStep(nest, config, profile));
  CountedWrites ignored{{config, profile, bases, &unused}};
  ASSERT_FALSE(isa::ExecuteAny(fetched.insn, disturbed.state, ignored));
  EXPECT_TRUE(SameAt(bench, disturbed, written)) << "it reads what the tables do not name";

  // Disturbs the contents of one read operand at a time, and checks whether the result changes.
  for (const isa::NestOperand& o : nest.operands()) {
    if (o.write || nest.steps() == 0) continue;
    isa::InsnNest alone = nest;
    alone.operand_list[0] = o;
    alone.operand_count = 1;
    Addresses mine;
    const auto note = [&](const isa::Touch& t) {
      for (int64_t i = 0; i < t.count; ++i) mine[t.space.index].insert(t.first + i);
    };
    isa::walk::Walker(alone, std::span<const isa::Uop>(uops), note).Run();
    WalkedMachine changed = before;
    for (const auto& [index, set] : mine) {
      const Space space{static_cast<uint8_t>(index)};
      for (const int64_t at : set) {
        if (space.is_segment()) {
          changed.dram[(static_cast<size_t>(space.segment()) << kSegmentBits) +
                       static_cast<size_t>(at)] ^= 0x10;
          continue;
        }
        for (std::byte& byte : TileOf(changed.state, space.memory(), at)) byte ^= std::byte{1};
      }
    }
    CountedWrites again{{config, profile, bases, &unused}};
    const bool stopped = static_cast<bool>(isa::ExecuteAny(fetched.insn, changed.state, again));
    mattered[std::string(o.row->insn) + "." + std::string(o.row->name)] +=
        stopped || !SameAt(bench, changed, written);
  }

  const isa::Insn* insn = std::get_if<isa::Insn>(&fetched.insn);
  if (insn == nullptr) return;
  Addresses derived[2];
  for (const isa::Access& access : isa::Accesses(*insn, config, uops)) {
    for (const isa::AddressRange& interval : access.intervals) {
      for (int64_t a = interval.begin; a < interval.end; ++a)
        derived[access.write][access.space.index].insert(a);
    }
  }
  EXPECT_EQ(walked[1], derived[1]);
  // The two lists may differ in accumulators that the first step overwrites: compare the other
  // reads.
  walked[0].erase(static_cast<int>(isa::Memory::kAcc));
  derived[0].erase(static_cast<int>(isa::Memory::kAcc));
  EXPECT_EQ(walked[0], derived[0]);
}

void Compare(const std::string& name, isa::Profile profile, int programs, Mattered& mattered) {
  isa::Config config;
  for (const isa::Config& c : isa::NamedConfigs()) {
    if (c.name == name) config = c;
  }
  std::array<uint64_t, isa::kSegments> bases;
  for (int n = 1; n <= programs; ++n) {
    Rng rng(static_cast<uint64_t>(n));
    const isa::ProgramImage image = MakeProgram({config, profile, static_cast<uint64_t>(n), 30});
    WalkedMachine bench(config, profile);
    for (int s = 0; s < isa::kSegments; ++s) {
      bases[s] = static_cast<uint64_t>(s) << kSegmentBits;
      ASSERT_LE(image.segments[s].size, uint64_t{1} << kSegmentBits);
      bench.state.segments[s] = {bases[s], image.segments[s].size};
      std::copy(image.segments[s].data.begin(), image.segments[s].data.end(),
                bench.dram.begin() + static_cast<ptrdiff_t>(bases[s]));
    }
    for (const isa::Fetched& fetched : FetchAll(image, config)) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << n << ": " << Describe(fetched.insn));
      CompareOne(fetched, bases, bench, rng, mattered);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// Expects that every read operand of |profile| has mattered.
void ExpectAllMattered(isa::Profile profile, const Mattered& mattered) {
  for (const isa::InsnRow& insn : isa::kInsns) {
    if (insn.profile != profile) continue;
    for (const isa::OperandRow& row : isa::kOperands) {
      if (row.insn != insn.name || row.use != isa::OperandUse::kRead) continue;
      const std::string key = std::string(row.insn) + "." + std::string(row.name);
      EXPECT_TRUE(mattered.contains(key) && mattered.at(key) > 0)
          << key << " is read by the table, but what it holds never mattered";
    }
  }
}

TEST(Walk, TouchesWhatTheSemanticsTouch) {
  Mattered mattered;
  Compare("tiny", isa::Profile::kTessera, 60, mattered);
  Compare("default", isa::Profile::kTessera, 4, mattered);
  Compare("wide", isa::Profile::kTessera, 2, mattered);
  ExpectAllMattered(isa::Profile::kTessera, mattered);
}

TEST(Walk, TouchesWhatTheSemanticsOfVtaTouch) {
  Mattered mattered;
  Compare("tiny", isa::Profile::kVta, 60, mattered);
  Compare("batch4", isa::Profile::kVta, 4, mattered);
  ExpectAllMattered(isa::Profile::kVta, mattered);
}

}  // namespace
}  // namespace tessera::rig::walk_test
