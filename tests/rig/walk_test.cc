// SPDX-License-Identifier: Apache-2.0
//
// What is tested: that isa/check/walk.h touches what the semantics touch: its writes against the
// writes that the semantics announce, and, in profile tessera, reads and writes against
// isa/access.h, which derives them from the fields in another way. Space: every instruction of
// random programs.
#include "isa/check/walk.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "isa/encoding.h"
#include "isa/semantics/execute.h"
#include "program.h"
#include "rig.h"

namespace tessera::rig {
namespace {

using isa::Space;
using Addresses = std::map<int, std::set<int64_t>>;  // space index -> tiles or bytes

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
        const int segment = static_cast<int>(at >> 20);  // where the test puts them
        (*addresses)[Space::OfSegment(segment).index].insert(at -
                                                             static_cast<int64_t>(bases[segment]));
        continue;
      }
      for (isa::Memory m : {isa::Memory::kUop, isa::Memory::kWgt, isa::Memory::kInp,
                            isa::Memory::kAcc, isa::Memory::kOut, isa::Memory::kPrm}) {
        if (isa::ByteSpaceOf(m) == space)
          (*addresses)[static_cast<int>(m)].insert(at / config.TileBytes(m, profile));
      }
    }
  }
};

void Compare(const std::string& name, isa::Profile profile, int programs) {
  isa::Config config;
  for (const isa::Config& c : isa::NamedConfigs()) {
    if (c.name == name) config = c;
  }
  std::vector<uint8_t> dram(isa::kSegments << 20);
  std::array<uint64_t, isa::kSegments> bases;
  for (int n = 1; n <= programs; ++n) {
    const isa::ProgramImage image = MakeProgram({config, profile, static_cast<uint64_t>(n), 30});
    isa::MachineState state(config);
    state.profile = profile;
    if (profile == isa::Profile::kVta) state.vta = isa::VtaCodec::Make(config).value();
    state.dram = dram;
    for (int s = 0; s < isa::kSegments; ++s) {
      bases[s] = static_cast<uint64_t>(s) << 20;
      state.segments[s] = {bases[s], image.segments[s].size};
      std::copy(image.segments[s].data.begin(), image.segments[s].data.end(),
                dram.begin() + (s << 20));
    }
    for (const isa::Fetched& fetched : FetchAll(image, config)) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << n << ": " << Describe(fetched.insn));
      std::vector<isa::Uop> uops;
      const isa::UopRange range = isa::UopsOf(fetched.insn);
      for (int64_t u = range.begin; u < range.begin + range.count; ++u) {
        isa::Uop uop;
        if (profile == isa::Profile::kVta) {
          isa::VtaUop vta;
          ASSERT_FALSE(ReadVtaUop(state, u, &vta));
          uop = {vta.dst_idx, vta.src_idx, vta.wgt_idx, 0};
        } else {
          ASSERT_FALSE(ReadUop(state, u, &uop));
        }
        uops.push_back(uop);
      }
      Addresses walked[2], written;
      isa::Walk(fetched.insn, config, uops, [&](const isa::Touch& t) {
        for (int64_t i = 0; i < t.count; ++i) walked[t.write][t.space.index].insert(t.first + i);
      });
      Writes writes{config, profile, bases, &written};
      ASSERT_FALSE(isa::ExecuteAny(fetched.insn, state, writes));
      EXPECT_EQ(walked[1], written);
      const isa::Insn* insn = std::get_if<isa::Insn>(&fetched.insn);
      if (insn == nullptr) continue;
      Addresses derived[2];
      for (const isa::Access& access : isa::Accesses(*insn, config, uops)) {
        for (const isa::AddressRange& interval : access.intervals) {
          for (int64_t a = interval.begin; a < interval.end; ++a)
            derived[access.write][access.space.index].insert(a);
        }
      }
      EXPECT_EQ(walked[1], derived[1]);
      // Accumulators may be listed as read where the first step overwrites them.
      walked[0].erase(static_cast<int>(isa::Memory::kAcc));
      derived[0].erase(static_cast<int>(isa::Memory::kAcc));
      EXPECT_EQ(walked[0], derived[0]);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(Walk, TouchesWhatTheSemanticsTouch) {
  Compare("tiny", isa::Profile::kTessera, 300);
  Compare("default", isa::Profile::kTessera, 60);
  Compare("wide", isa::Profile::kTessera, 30);
}

TEST(Walk, TouchesWhatTheSemanticsOfVtaTouch) {
  Compare("tiny", isa::Profile::kVta, 300);
  Compare("batch4", isa::Profile::kVta, 60);
}

}  // namespace
}  // namespace tessera::rig
