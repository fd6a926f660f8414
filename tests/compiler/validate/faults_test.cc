// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the translation check passes what the compiler emits and catches what it could
// emit wrongly. The test puts faults into emitted programs. Each faulty program gets the tokens
// that its instructions need, so the static checker finds nothing but tiles that nothing wrote;
// only the test of left-out tokens does not. Space: a network whose layers take turns and overlap,
// on two configurations: each kind of fault at up to kMost places, and 220 seeded changes of order.
// The check must catch each change that alters what the functional simulator computes. Not tested
// here: that programs of networks pass (all tests that compile), the messages (explain_test).
#include <gtest/gtest.h>

#include <functional>

#include "compiler/validate/validate.h"
#include "isa/check/check.h"
#include "isa/encoding.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/validate/rewrite.h"

namespace tessera::test::faults_test {
namespace {

using isa::Memory;
using isa::Space;
using isa::Unit;

constexpr size_t kMost = 10;  // programs of a kind of fault

const Space kInp = Space::Of(Memory::kInp);

bool OnlyPads(const BareInsn& bare) {
  const auto* load = std::get_if<isa::Load>(&bare.insn);
  return load != nullptr && load->y_size == 0;
}
bool Loads(const BareInsn& bare, Memory memory) {
  const auto* load = std::get_if<isa::Load>(&bare.insn);
  return load != nullptr && load->memory == static_cast<int64_t>(memory) && load->y_size > 0;
}

class Faults : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const int64_t block = config_.block_out, tiles = config_.Depth(Memory::kInp);
    const int64_t columns = 18, rows = 2 * tiles / columns;
    Net net(11);
    auto x = net.Conv(net.Input({1, 2 * block, rows, columns}), 2 * block, Square(1));
    x = net.Conv(x, 2 * block, Square(3), 2 * block);
    x = net.MaxPool(x, Square(3, 2));
    x = net.Conv(x, block, Square(3));
    x = net.Add(net.Conv(x, block, Square(3)), x);
    net.Output(net.Conv(x, 2 * block, Square(1)));
    auto compiled = Compile(net.graph(), config_);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    compiled_ = std::move(*compiled);
    values_ = RandomInputs(net.graph(), net.rng());
    Evaluate(compiled_, values_);
    program_ = TakeApart(compiled_.program.image, config_);
  }

  Status Check(const isa::ProgramImage& image) const {
    const ProgramAlone& p = compiled_.program;
    const auto report =
        validate::CheckTranslation(p.plan, compiled_.regions, config_, p.offsets, p.arena_bytes,
                                   image, {.all = true, .both_orders = true});
    if (!report) return std::unexpected(report.error());
    return {};
  }
  bool ComputesTheSame(const isa::ProgramImage& image) const {
    Compiled changed = compiled_;
    changed.program.image = image;
    return RunAndCompare(changed, config_, values_).empty();
  }

  // Pairs of instructions (the later one, the earlier one) for which |is|; the later one is put in
  // front.
  using IsPair = std::function<bool(const BareInsn& later, const BareInsn& earlier)>;
  void ExpectCaught(const IsPair& is) {
    size_t tried = 0;
    for (size_t j = 1; j < program_.size() && tried < kMost; ++j) {
      for (size_t i = j; i-- > 0 && tried < kMost;) {
        if (!is(program_[j], program_[i])) continue;
        ++tried;
        ExpectCaught(MoveBefore(program_, j, i), fmt::format("instruction {} before {}", j, i));
        break;  // the next later one
      }
    }
    EXPECT_GT(tried, 0u);
  }
  void ExpectCaught(const BareProgram& changed, const std::string& what) {
    const auto image = PutTogether(changed, compiled_.program.image, config_);
    ASSERT_TRUE(image.has_value()) << image.error().message;
    // It knows of tiles that nothing has written yet, and of nothing else here.
    for (const isa::Diagnostic& d : isa::CheckProgram(*image, config_).diagnostics)
      EXPECT_EQ(d.finding, isa::Finding::kUnwritten) << what << ": " << d.text;
    const bool caught = !Check(*image).has_value();
    EXPECT_TRUE(caught || ComputesTheSame(*image)) << what;
    caught_ += caught ? 1 : 0;
  }

  const isa::Config config_ = NamedConfig(GetParam());
  Compiled compiled_;
  Values values_;
  BareProgram program_;
  int64_t caught_ = 0;
};

TEST_P(Faults, WhatIsEmittedPasses) {
  const auto same = PutTogether(program_, compiled_.program.image, config_);
  ASSERT_TRUE(same.has_value());
  for (const isa::ProgramImage& image : {compiled_.program.image, *same}) {
    const Status status = Check(image);
    EXPECT_TRUE(status.has_value()) << status.error().message;
  }
}

TEST_P(Faults, AnOverlapOneUnitTooEarly) {
  ExpectCaught([](const BareInsn& later, const BareInsn& earlier) {
    return later.unit == Unit::kVector && later.layer != earlier.layer &&
           MeetIn(kInp, later, true, earlier, false);
  });
  EXPECT_GT(caught_, 0);
}

TEST_P(Faults, AHaloWrittenLate) {
  ExpectCaught([](const BareInsn& later, const BareInsn& earlier) {
    return OnlyPads(earlier) && MeetIn(kInp, later, false, earlier, true);
  });
  EXPECT_GT(caught_, 0);
}

TEST_P(Faults, ALoadMovedPastItsReader) {
  for (const Memory memory : {Memory::kInp, Memory::kWgt, Memory::kOut, Memory::kPrm}) {
    SCOPED_TRACE(static_cast<int>(memory));
    ExpectCaught([&](const BareInsn& later, const BareInsn& earlier) {
      return Loads(earlier, memory) && later.unit != Unit::kLoad &&
             MeetIn(Space::Of(memory), later, false, earlier, true);
    });
  }
  EXPECT_GT(caught_, 0);
}

TEST_P(Faults, ALoadBeforeTheLastReaderOfWhatWasThere) {
  ExpectCaught([&](const BareInsn& later, const BareInsn& earlier) {
    return Loads(later, Memory::kInp) && MeetIn(kInp, later, true, earlier, false);
  });
  EXPECT_GT(caught_, 0);
}

TEST_P(Faults, AResultWrittenBeforeTheLastOneIsStored) {
  ExpectCaught([&](const BareInsn& later, const BareInsn& earlier) {
    return earlier.unit == Unit::kStore &&
           MeetIn(Space::Of(Memory::kOut), later, true, earlier, false);
  });
  EXPECT_GT(caught_, 0);
}

// The last tiles of what a load brings, and who reads them, are where the ring begins.
TEST_P(Faults, ARingThatWrapsTooSoon) {
  size_t tried = 0;
  for (size_t l = 0; l < program_.size() && tried < kMost; ++l) {
    if (!Loads(program_[l], Memory::kInp)) continue;
    // The readers of this box, and the box before it that is still to be read behind this one.
    std::vector<size_t> readers;
    int64_t first = 0;
    for (const isa::Access& a : program_[l].accesses) {
      if (a.space == kInp) first = a.intervals[0].begin;
    }
    std::optional<int64_t> other;
    for (size_t k = l + 1; k < program_.size(); ++k) {
      if (program_[k].unit == Unit::kLoad && MeetIn(kInp, program_[k], true, program_[l], true))
        break;
      if (MeetIn(kInp, program_[k], false, program_[l], true)) {
        readers.push_back(k);
      } else if (!other && readers.empty()) {
        for (const isa::Access& a : program_[k].accesses) {
          if (a.space == kInp && !a.write && a.intervals[0].begin < first)
            other = a.intervals[0].begin;
        }
      }
    }
    if (readers.empty() || !other) continue;
    BareProgram changed = program_;
    const int64_t back = first - *other;
    std::get<isa::Load>(changed[l].insn).sram_base -= back;
    bool moves = true;
    for (const size_t k : readers) {
      const auto by = [&](int64_t& base) { moves = moves && (base -= back) >= 0; };
      if (auto* gemm = std::get_if<isa::Gemm>(&changed[k].insn)) by(gemm->src_base);
      if (auto* window = std::get_if<isa::Depthwise>(&changed[k].insn)) by(window->src_base);
      if (auto* alu = std::get_if<isa::Alu>(&changed[k].insn)) by(alu->src_base);
    }
    if (!moves) continue;
    ++tried;
    ExpectCaught(changed, fmt::format("the box of instruction {}", l));
  }
  EXPECT_GT(tried, 0u);
  EXPECT_GT(caught_, 0);
}

// Nothing but the tokens changes: the two checks together leave none out.
TEST_P(Faults, ATokenLeftOut) {
  const isa::ProgramImage& image = compiled_.program.image;
  std::array<std::array<std::vector<int64_t>, isa::kUnits>, isa::kUnits> pushes, pops;
  std::vector<isa::Insn> insns;
  const auto masks = [](isa::Insn& insn) {
    return std::visit([](auto& i) { return std::pair<int64_t*, int64_t*>{&i.pop, &i.push}; }, insn);
  };
  for (int64_t n = 0; n < image.insn_count(); ++n) {
    insns.push_back(isa::Decode(image.Word(n)).value());
    if (std::holds_alternative<isa::Finish>(insns.back())) continue;
    const auto u = static_cast<size_t>(isa::UnitOf(insns.back()));
    const auto [pop, push] = masks(insns.back());
    for (size_t v = 0; v < isa::kUnits; ++v) {
      if (*pop >> v & 1) pops[v][u].push_back(n);
      if (*push >> v & 1) pushes[u][v].push_back(n);
    }
  }
  size_t tried = 0, seen = 0;
  for (size_t u = 0; u < isa::kUnits; ++u) {
    for (size_t v = 0; v < isa::kUnits; ++v) {
      ASSERT_EQ(pushes[u][v].size(), pops[u][v].size());
      const size_t step = std::max<size_t>(1, pushes[u][v].size() / 3);
      for (size_t k = 0; k < pushes[u][v].size(); k += step) {
        std::vector<isa::Insn> changed = insns;
        *masks(changed[static_cast<size_t>(pushes[u][v][k])]).second &= ~(int64_t{1} << v);
        *masks(changed[static_cast<size_t>(pops[u][v][k])]).first &= ~(int64_t{1} << u);
        isa::ProgramImage without = image;
        without.code.clear();
        for (const isa::Insn& insn : changed) without.Append(isa::Encode(insn).value());
        ++tried;
        const bool meaning = !Check(without).has_value();
        seen += meaning ? 1 : 0;
        EXPECT_TRUE(meaning || !isa::RequireChecked(without, config_))
            << "the token of instruction " << pushes[u][v][k] << " for " << pops[u][v][k];
      }
    }
  }
  std::printf("%d tokens left out, %d change what is computed in the orders that are followed\n",
              static_cast<int>(tried), static_cast<int>(seen));
  EXPECT_GT(tried, 15u);
  EXPECT_GT(seen, tried / 4);
}

TEST_P(Faults, EveryChangedOrderThatComputesSomethingElse) {
  Rng rng(2);
  const int orders = config_.name == "tiny" ? 200 : 20;
  int64_t wrong = 0;
  for (int n = 0; n < orders; ++n) {
    const auto j = static_cast<size_t>(rng.Range(1, std::ssize(program_) - 1));
    size_t i = j;
    const int64_t skip = rng.Range(0, 3);
    for (int64_t met = 0; i-- > 0;) {
      if (program_[i].unit != program_[j].unit && Meet(program_[i], program_[j]) && met++ == skip)
        break;
    }
    if (i == SIZE_MAX) continue;
    const auto image = PutTogether(MoveBefore(program_, j, i), compiled_.program.image, config_);
    if (!image) continue;  // more tokens than there are
    const bool caught = !Check(*image).has_value(), same = ComputesTheSame(*image);
    wrong += same ? 0 : 1;
    EXPECT_TRUE(caught || same) << "instruction " << j << " before " << i;
  }
  std::printf("%d of %d orders compute something else\n", static_cast<int>(wrong), orders);
  EXPECT_GT(wrong, orders / 2);
}

INSTANTIATE_TEST_SUITE_P(Machines, Faults, ::testing::Values("default", "tiny"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace tessera::test::faults_test
