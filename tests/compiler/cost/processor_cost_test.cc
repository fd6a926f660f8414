// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the cost of schedules on processors (cost::CostOnProcessor). Iterations are the
// elements that the interpreter stores. Bytes between a cache and the memory behind it are near
// those of a simulated cache that the accesses of the lowered loops go through, one by one, for
// random tiles and orders of products of matrices and of windows. Instructions of a tile in
// registers, and of vectors that take turns in memory, are counted by hand. Threads divide the
// work; sums that exceed the registers cost more; a larger tile of a GPU's group reads less. Not
// tested here: how near the cycles are to times (bench/host_costs.cc).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <list>
#include <unordered_map>

#include "base/rng.h"
#include "compiler/cost/processor.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/gpu.h"
#include "compiler/target/host_level.h"

namespace tessera::cost::processor_cost_test {
namespace {

using schedule::Schedule;

// y[m, n] = sum over k of x[m, k] * w[k, n], of float32.
te::Tensor Product(int64_t m, int64_t n, int64_t k) {
  const te::Tensor x = te::Placeholder("x", DType::kFloat32, {m, k}),
                   w = te::Placeholder("w", DType::kFloat32, {k, n});
  const te::Axis sum = te::ReduceAxis("k", k);
  return te::Compute("y", {m, n}, {"i", "j"}, [&](const std::vector<ir::Expr>& i) {
    return te::Sum(x(i[0], sum.var) * w(sum.var, i[1]), {sum});
  });
}

// y[c, p, q] = sum over d, a, b of x[d, p + a, q + b] * w[c, d, a, b], of float32.
te::Tensor Window(int64_t channels, int64_t size, int64_t taps) {
  const te::Tensor x = te::Placeholder("x", DType::kFloat32,
                                       {channels, size + taps - 1, size + taps - 1}),
                   w = te::Placeholder("w", DType::kFloat32, {channels, channels, taps, taps});
  const te::Axis d = te::ReduceAxis("d", channels), a = te::ReduceAxis("a", taps),
                 b = te::ReduceAxis("b", taps);
  return te::Compute(
      "y", {channels, size, size}, {"i", "j", "l"}, [&](const std::vector<ir::Expr>& i) {
        return te::Sum(x(d.var, i[1] + a.var, i[2] + b.var) * w(i[0], d.var, a.var, b.var),
                       {d, a, b});
      });
}

// A cache of whole lines that forgets what was used longest ago.
class Lru {
 public:
  explicit Lru(const target::TargetCache& cache)
      : most_(static_cast<size_t>(cache.bytes / cache.line_bytes)), line_(cache.line_bytes) {}

  void Access(int64_t address, bool writes) {
    const int64_t line = address / line_;
    if (const auto known = places_.find(line); known != places_.end()) {
      lines_.splice(lines_.begin(), lines_, known->second);
      known->second->written |= writes;
      return;
    }
    ++read_;
    lines_.push_front({line, writes});
    places_[line] = lines_.begin();
    if (lines_.size() <= most_) return;
    written_ += lines_.back().written;
    places_.erase(lines_.back().line);
    lines_.pop_back();
  }
  // Bytes of all lines that came and, if written, went, with those that are still there.
  double Bytes() const {
    int64_t left = 0;
    for (const Line& line : lines_) left += line.written;
    return static_cast<double>((read_ + written_ + left) * line_);
  }

 private:
  struct Line {
    int64_t line = 0;
    bool written = false;
  };
  size_t most_;
  int64_t line_, read_ = 0, written_ = 0;
  std::list<Line> lines_;
  std::unordered_map<int64_t, std::list<Line>::iterator> places_;
};

// Runs the loops of |func|, which are serial, and sends the accesses to memory through |cache|.
class Walker {
 public:
  Walker(const ir::Func& func, Lru* cache) : cache_(cache) {
    for (const ir::Buffer& b : func.params) {
      bases_[b.get()] = next_;
      next_ += (ir::SizeInBytes(*b) + 4095) / 4096 * 4096;
    }
    Walk(func.body);
  }

 private:
  void Walk(const ir::Stmt& s) {
    switch (s->kind) {
      case ir::StmtKind::kFor: {
        const int64_t min = Int(s->min), extent = Int(s->extent);
        for (int64_t i = min; i < min + extent; ++i) {
          values_[s->var.get()] = ir::Expr(i);
          Walk(s->body[0]);
        }
        return;
      }
      case ir::StmtKind::kIf:
        if (Int(s->value) != 0) Walk(s->body[0]);
        return;
      case ir::StmtKind::kStore:
        ir::Visit(s->value, [&](const ir::Expr& e) {
          if (e->kind == ir::ExprKind::kLoad) Access(*e->buffer, e->args, false);
        });
        Access(*s->buffer, s->indices, true);
        return;
      default:
        for (const ir::Stmt& part : s->body) Walk(part);
    }
  }
  int64_t Int(const ir::Expr& e) const { return *ir::EvalInt(ir::Substitute(e, values_)); }
  void Access(const ir::BufferNode& buffer, const std::vector<ir::Expr>& indices, bool writes) {
    const auto base = bases_.find(&buffer);
    if (base == bases_.end()) return;  // in registers
    std::vector<int64_t> at;
    for (const ir::Expr& index : indices) at.push_back(Int(index));
    cache_->Access(base->second + ir::OffsetOf(buffer, at) * SizeOf(buffer.dtype), writes);
  }

  Lru* cache_;
  ir::VarMap values_;
  std::unordered_map<const ir::BufferNode*, int64_t> bases_;
  int64_t next_ = 0;
};

// A host with one cache of |bytes|.
std::shared_ptr<const target::Target> HostWithCache(int64_t bytes) {
  target::Target made = *target::Host();
  made.caches = {{bytes, 64, 16}};
  return std::make_shared<const target::Target>(std::move(made));
}

// |output| with loops split by random factors that divide, in a random order.
Result<Schedule> RandomTiles(const te::Tensor& output,
                             const std::shared_ptr<const target::Target>& target, Rng& rng) {
  TESSERA_ASSIGN(Schedule s, Schedule::Create({output}, target));
  std::vector<std::string> loops;
  std::vector<std::pair<std::string, int64_t>> axes;
  const schedule::Stage& stage = *s.Find("y");
  for (const ir::Axis& axis : stage.axes) axes.emplace_back(axis.name(), axis.extent);
  for (const ir::Axis& axis : stage.reduce_axes) axes.emplace_back(axis.name(), axis.extent);
  for (const auto& [name, extent] : axes) {
    std::vector<int64_t> factors;
    for (int64_t f = 2; f < extent; ++f) {
      if (extent % f == 0) factors.push_back(f);
    }
    if (factors.empty() || rng.Range(0, 2) == 0) {
      loops.push_back(name);
      continue;
    }
    const int64_t factor =
        factors[static_cast<size_t>(rng.Range(0, static_cast<int64_t>(factors.size()) - 1))];
    TESSERA_TRY(s.Apply(fmt::format("split y {} {} {}.o {}.i", name, factor, name, name)));
    loops.push_back(name + ".o");
    loops.push_back(name + ".i");
  }
  // A part may not stand outside of its whole for the sums' order: any order is legal for traffic.
  for (size_t k = loops.size(); k > 1; --k)
    std::swap(loops[k - 1], loops[static_cast<size_t>(rng.Range(0, static_cast<int64_t>(k) - 1))]);
  TESSERA_TRY(s.Apply(fmt::format("reorder y {}", fmt::join(loops, " "))));
  return s;
}

TEST(ProcessorCost, CountsTheBytesThatACacheExchanges) {
  constexpr uint64_t kSeed = 4;
  Rng rng(kSeed);
  std::vector<double> ratios;
  for (int draw = 0; draw < 60; ++draw) {
    const te::Tensor output = draw % 2 == 0 ? Product(16, 24, 20) : Window(4, 10, 3);
    const auto target = HostWithCache(int64_t{1} << rng.Range(9, 12));
    const auto s = RandomTiles(output, target, rng);
    ASSERT_TRUE(s) << s.error().message;
    const auto func = lower::Lower(*s, "f");
    ASSERT_TRUE(func) << func.error().message;
    Lru cache(target->caches[0]);
    Walker(*func, &cache);
    const auto cost = CostOnProcessor(*s);
    ASSERT_TRUE(cost) << cost.error().message;
    const double ratio = (cost->traffic[0].read + cost->traffic[0].written) / cache.Bytes();
    // Data of nearly the size of the cache may fit in one of the two and not in the other.
    EXPECT_GT(ratio, 0.2) << "seed " << kSeed << "\n"
                          << Print(s->trace()) << target->caches[0].bytes;
    EXPECT_LT(ratio, 3) << "seed " << kSeed << "\n" << Print(s->trace()) << target->caches[0].bytes;
    ratios.push_back(ratio);
  }
  std::ranges::sort(ratios);
  fmt::print("estimated / exchanged bytes: {:.2f} to {:.2f}, median {:.2f}\n", ratios.front(),
             ratios.back(), ratios[ratios.size() / 2]);
  EXPECT_NEAR(ratios[ratios.size() / 2], 1, 0.1);
  EXPECT_GT(ratios[ratios.size() / 10], 0.7);
  EXPECT_LT(ratios[ratios.size() * 9 / 10], 1.7);
}

TEST(ProcessorCost, CountsWhatTheInterpreterStores) {
  Rng rng(5);
  for (int draw = 0; draw < 6; ++draw) {
    const te::Tensor output = Product(8, 12, 6);
    const auto s = RandomTiles(output, target::Host(), rng);
    ASSERT_TRUE(s) << s.error().message;
    const auto func = lower::Lower(*s, "f");
    ASSERT_TRUE(func) << func.error().message;
    std::vector<ir::Array> arrays;
    std::vector<ir::Array*> pointers;
    for (const ir::Buffer& b : func->params) arrays.emplace_back(b->dtype, ir::SizeInElements(*b));
    for (ir::Array& a : arrays) pointers.push_back(&a);
    const auto run = ir::Interpret(*func, pointers);
    ASSERT_TRUE(run) << run.error().message;
    const auto cost = CostOnProcessor(*s);
    ASSERT_TRUE(cost) << cost.error().message;
    // Each element is stored once more at the start of its sum.
    EXPECT_EQ(cost->iterations + 8 * 12, static_cast<double>(run->stores)) << Print(s->trace());
  }
}

// Sums of |rows| x |columns| registers of 16 lanes.
Schedule InRegisters(const te::Tensor& output, int64_t rows, int64_t columns) {
  Schedule s = *Schedule::Create({output}, target::Host());
  const Status applied = s.Apply(fmt::format(
      "cache_write y reg acc\n"
      "split y i {0} io ii\nsplit y j {1} jo jl\nsplit y jl 16 jb l\n"
      "reorder y io jo ii jb l\nunroll y ii\nunroll y jb\nvectorize y l\n"
      "compute_at acc y jo\n"
      "split acc j 16 jb l\nreorder acc k i jb l\nunroll acc i\nunroll acc jb\nvectorize acc l\n",
      rows, 16 * columns));
  EXPECT_TRUE(applied) << applied.error().message;
  return s;
}

TEST(ProcessorCost, CountsTheInstructionsOfATileInRegisters) {
  const Schedule s = InRegisters(Product(32, 64, 50), 4, 2);
  const auto cost = CostOnProcessor(s);
  ASSERT_TRUE(cost) << cost.error().message;
  const double tiles = 32 / 4 * 64 / 32;
  // In each of 50 steps a tile multiplies and adds 8 registers, one instruction each, and loads 4
  // numbers and 2 registers.
  EXPECT_EQ(cost->instructions.arithmetic, tiles * 50 * 8);
  EXPECT_EQ(cost->instructions.loads, tiles * 50 * (4 + 2));
  EXPECT_EQ(cost->instructions.stores, tiles * 8);
  EXPECT_EQ(cost->instructions.intrinsics, 0);
  // More sums than registers: each step loads and stores those without a register.
  const auto spilled = CostOnProcessor(InRegisters(Product(32, 64, 50), 16, 4));
  ASSERT_TRUE(spilled) << spilled.error().message;
  EXPECT_EQ(spilled->instructions.stores, 2 * 64 + 2 * 50 * (64 - 29));
}

// A copy of 256 channels in vectors of 64: elements beside each other, and those that take turns
// with the other three of a row, are a register of 64 bytes; others are one each.
TEST(ProcessorCost, CountsVectorsThatTakeTurnsInMemory) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {8, 256});
  const te::Tensor y =
      te::Compute("y", {8, 256}, {"p", "c"}, [&](const std::vector<ir::Expr>& i) { return x(i); });
  const auto stores = [&](const std::string& layout) {
    Schedule s = *Schedule::Create({y}, target::Host());
    const Status applied = s.Apply(
        "split y p 4 q i\nsplit y c 64 b l\nreorder y q b i l\nunroll y i\nvectorize y l\n" +
        layout);
    EXPECT_TRUE(applied) << applied.error().message;
    const auto cost = CostOnProcessor(s);
    EXPECT_TRUE(cost);
    EXPECT_EQ(cost->instructions.loads, 8 * 256 / 64);
    return cost->instructions.stores;
  };
  EXPECT_EQ(stores(""), 8 * 256 / 64) << "beside each other";
  EXPECT_EQ(stores("layout y 0/4,1,0%4\n"), 8 * 256 / 64) << "four in turns";
  EXPECT_EQ(stores("layout y 0/2,1,0%2\n"), 8 * 256) << "two in turns, of four";
  EXPECT_EQ(stores("layout y 1,0\n"), 8 * 256) << "eight apart";
}

TEST(ProcessorCost, ThreadsDivideTheWork) {
  Schedule s = InRegisters(Product(32, 64, 50), 4, 2);
  const auto alone = CostOnProcessor(s, {.threads = 4});
  ASSERT_TRUE(s.Apply("parallel y io"));
  const auto one = CostOnProcessor(s), four = CostOnProcessor(s, {.threads = 4}),
             five = CostOnProcessor(s, {.threads = 5});
  ASSERT_TRUE(alone && one && four && five);
  EXPECT_EQ(alone->cycles, one->cycles);
  EXPECT_NEAR(four->cycles, one->cycles / 4, one->cycles / 100);
  EXPECT_EQ(five->cycles, four->cycles) << "8 iterations are 2 for one of 5 threads too";
}

TEST(ProcessorCost, OfAGpuFallsWithTheTilesOfItsGroups) {
  const auto s = schedule::GpuSchedule({Product(512, 512, 256)});
  ASSERT_TRUE(s) << s.error().message;
  const auto cost = CostOnProcessor(*s);
  ASSERT_TRUE(cost) << cost.error().message;
  const double least = 4 * (512 * 256 * 2 + 512 * 512);  // bytes of the operands and the result
  EXPECT_GE(cost->traffic[0].read + cost->traffic[0].written, least);
  // One thread a group reads its operands alone.
  Schedule naive = *Schedule::Create({Product(512, 512, 256)}, target::Gpu());
  ASSERT_TRUE(naive.Apply("bind y i grid.y\nbind y j grid.x")) << Print(s->trace());
  const auto slow = CostOnProcessor(naive);
  ASSERT_TRUE(slow) << slow.error().message;
  EXPECT_GT(slow->traffic[0].read, 4 * cost->traffic[0].read);
  EXPECT_GT(slow->cycles, 4 * cost->cycles);
}

TEST(ProcessorCost, RefusesATargetWithoutFigures) {
  const auto s = Schedule::Create({Product(4, 4, 4)});
  ASSERT_TRUE(s);
  const auto cost = CostOnProcessor(*s);
  ASSERT_FALSE(cost);
  EXPECT_EQ(cost.error().code, Code::kInvalidArgument);
  EXPECT_NE(cost.error().message.find("figures of caches"), std::string::npos);
}

}  // namespace
}  // namespace tessera::cost::processor_cost_test
