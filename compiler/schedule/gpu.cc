// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/gpu.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "compiler/schedule/editor.h"
#include "compiler/schedule/gpu_steps.h"

namespace tessera::schedule {
namespace {

// A sum of products, the only reduction of its expression.
struct SumOfProducts {
  std::string stage;
  te::Roles roles;
};

// Of a reduction whose parts threads share.
constexpr int64_t kFewElements = 1 << 12, kLeastParted = 16, kMostParts = 256;

class GpuGenerator {
 public:
  GpuGenerator(Schedule schedule, const std::set<std::string>& constants, SketchChoice* choice)
      : g_(std::move(schedule)), s_(g_.s), constants_(constants), choice_(*choice) {}

  Result<Schedule> Run() {
    const std::optional<SumOfProducts> sum = FindSum();
    std::optional<GpuTiles> tiles = sum ? FindTiles(*sum) : std::nullopt;
    std::vector<std::string> sketches;
    if (sum && IsFragment(s_, *s_.Find(sum->stage), sum->roles)) sketches.emplace_back("fragments");
    if (tiles) sketches.emplace_back("tiles");
    sketches.emplace_back("elements");
    const std::string parted = FindParted();
    if (!parted.empty()) sketches.emplace_back("partial_sums");
    const std::string sketch = choice_.Among(sketches);
    if (sketch == "fragments") {
      TESSERA_ASSIGN(const std::string home,
                     FragmentSchedule(g_, sum->stage, sum->roles, constants_));
      TESSERA_TRY(Output(home));
      return std::move(s_);
    }
    if (sketch != "tiles") tiles.reset();
    TESSERA_TRY(g_.InlineElementwise(tiles ? std::set{tiles->input, tiles->weight}
                                           : std::set<std::string>()));
    if (tiles) {
      TESSERA_ASSIGN(const std::string home, Tile(*tiles));
      TESSERA_TRY(Output(home));
      return std::move(s_);
    }
    if (sketch == "partial_sums") {
      TESSERA_ASSIGN(const std::string home, PartialSums(parted));
      TESSERA_TRY(Output(home));
      return std::move(s_);
    }
    // Readers first: a sum may be computed where its elements are read.
    std::vector<std::string> names = g_.Live();
    std::ranges::reverse(names);
    for (const std::string& name : names) {
      if (s_.Find(name)->reduce_axes.empty()) {
        TESSERA_TRY(g_.OneThreadAnElement(name));
      } else {
        TESSERA_TRY(Sum(name));
      }
    }
    return std::move(s_);
  }

 private:
  // Blocks of a sum over channels of products of two reads. Dimension |c| of the sum has the
  // channels of a block, |x| and |y| its points (-1: none); the reduction runs in chunks of |chunk|
  // input channels. All combinations of picks are legal: the largest picks keep the limits on
  // threads and shared memory.
  struct GpuTiles {
    std::string anchor, input, weight;
    int c = -1, x = -1, y = -1;
    std::string channel;  // the reduced axis that is cut into chunks
    // Dimensions of the operands along which neighbours of a warp read, if other dimensions follow;
    // -1: none do.
    int input_row = -1, weight_row = -1;
    TileSize chunk;
    TileSize threads_c, threads_x, threads_y;  // of a group
    TileSize each_c, each_x;                   // of a thread
  };

  // Each thread sums in a register. If only the output reads the sum, element by element, the
  // thread computes the output's element too.
  Status Sum(const std::string& name) {
    if (s_.Find(name)->leaves.size() == s_.Find(name)->reduce_axes.size()) return {};
    const std::string output = s_.outputs()[0].name();
    if (g_.OutputFollows(name) && s_.Consumers(name).size() == 1) {
      TESSERA_TRY(s_.Apply(SetScopeStep{name, ir::Scope::kReg}));
      return s_.Apply(ComputeAtStep{name, {output, s_.Find(output)->leaves.back().name}});
    }
    const std::string sum = name + ".sum";
    TESSERA_TRY(s_.Apply(CacheWriteStep{name, ir::Scope::kReg, sum}));
    TESSERA_TRY(g_.OneThreadAnElement(name));
    return s_.Apply(ComputeAtStep{sum, {name, s_.Find(name)->leaves.back().name}});
  }

  // The only reduction, if it has few elements, and so many summands that threads can share them.
  // Floats are summed in the definition's order. Empty: there is none.
  std::string FindParted() const {
    const Stage* found = nullptr;
    for (const Stage& st : s_.stages()) {
      if (st.reduce_axes.empty()) continue;
      if (found != nullptr) return {};
      found = &st;
    }
    if (found == nullptr || s_.outputs().size() != 1 || IsFloat(found->dtype)) return {};
    int64_t elements = 1, summands = 1;
    for (const int64_t extent : found->shape) elements *= extent;
    for (const ir::Axis& a : found->reduce_axes) summands *= a.extent;
    if (elements > kFewElements || summands < kLeastParted) return {};
    return found->name;
  }

  // A group of threads sums parts of an element; its first thread adds them. Returns the stage that
  // stores the sums.
  Result<std::string> PartialSums(const std::string& name) {
    const std::string part = name + ".part";
    const std::vector<ir::Axis> reduced = s_.Find(name)->reduce_axes;
    int64_t summands = 1;
    std::string all = reduced[0].name();
    for (const ir::Axis& a : reduced) {
      summands *= a.extent;
      if (a.name() == all) continue;
      TESSERA_TRY(s_.Apply(FuseStep{name, all, a.name(), all + "." + a.name()}));
      all += "." + a.name();
    }
    const std::string thread = all + ".t";
    const int64_t most = PowerUpTo(summands, kMostParts);
    TESSERA_TRY(g_.Decide("parts", {most, std::min<int64_t>(most, 32)}));
    TESSERA_TRY(g_.Split(name, all, Amount::Of("parts"), ".o", ".t"));
    TESSERA_TRY(s_.Apply(RfactorStep{name, thread, part}));
    std::string home = s_.outputs()[0].name(), sum = name;
    if (g_.OutputFollows(name) && s_.Consumers(name).size() == 1) {
      TESSERA_TRY(s_.Apply(SetScopeStep{sum, ir::Scope::kReg}));
    } else {
      home = name;
      sum = name + ".sum";
      TESSERA_TRY(s_.Apply(CacheWriteStep{home, ir::Scope::kReg, sum}));
    }
    TESSERA_ASSIGN(const std::string group, g_.FuseAll(home));
    TESSERA_TRY(s_.Apply(BindStep{home, group, ir::LoopKind::kGridX}));
    TESSERA_TRY(s_.Apply(ComputeAtStep{sum, {home, group}}));
    TESSERA_TRY(s_.Apply(SetScopeStep{part, ir::Scope::kShared}));
    TESSERA_TRY(s_.Apply(BindStep{part, thread, ir::LoopKind::kThreadX}));
    TESSERA_TRY(s_.Apply(ComputeAtStep{part, {home, group}}));
    return home;
  }

  // Finds the only reduction. Empty: there are none or several, or it is not such a sum.
  std::optional<SumOfProducts> FindSum() const {
    const Stage* found = nullptr;
    for (const Stage& st : s_.stages()) {
      if (st.reduce_axes.empty()) continue;
      if (found != nullptr) return {};
      found = &st;
    }
    if (found == nullptr || s_.outputs().size() != 1) return {};
    std::optional<te::Roles> roles = te::FindRoles(found->axes, found->reduce_axes, found->body);
    if (!roles || !roles->weight) return {};
    return SumOfProducts{found->name, std::move(*roles)};
  }

  // |home| is the stage that stores the sums. Any other output is a kernel of its own.
  Status Output(const std::string& home) {
    const std::string output = s_.outputs()[0].name();
    return output == home ? Status() : g_.OneThreadAnElement(output);
  }

  // Empty: the sum has no blocks, or they are too small.
  std::optional<GpuTiles> FindTiles(const SumOfProducts& sum) const {
    GpuTiles t{.anchor = sum.stage};
    const Stage& st = *s_.Find(t.anchor);
    const te::Roles* const roles = &sum.roles;
    t.input = roles->input->tensor->name;
    t.weight = (*roles->weight)->tensor->name;
    if (t.input == t.weight || s_.Consumers(t.input).size() != 1) return {};
    // The reduction fetches chunks of its operands, too late for the start of the sum.
    if (st.StartReads(t.input) || st.StartReads(t.weight)) return {};
    for (size_t d = 0; d < roles->data.size(); ++d) {
      const te::AxisRole& a = roles->data[d];
      const int dim = static_cast<int>(d);
      if (a.role == te::Role::kOutputChannel && a.group == 0 && t.c < 0) {
        t.c = dim;
      } else if (a.role == te::Role::kSpatial || a.role == te::Role::kBatch) {
        if (a.axis.extent == 1) continue;
        t.y = t.x;
        t.x = dim;
      } else {
        return {};
      }
    }
    const te::AxisRole* channel = roles->Find(te::Role::kInputChannel);
    if (t.c < 0 || channel == nullptr) return {};
    t.channel = channel->axis.name();
    const auto row_of = [&](const std::string& tensor, int dim) {
      const std::vector<int64_t>& shape = s_.Find(tensor)->shape;
      const bool last =
          std::all_of(shape.begin() + dim + 1, shape.end(), [](int64_t n) { return n == 1; });
      return last ? -1 : dim;
    };
    if (t.x >= 0) t.input_row = row_of(t.input, roles->data[static_cast<size_t>(t.x)].input_dim);
    t.weight_row = row_of(t.weight, roles->data[static_cast<size_t>(t.c)].weight_dim);
    const auto extent = [&](int dim) {
      return dim < 0 ? 1 : st.axes[static_cast<size_t>(dim)].extent;
    };
    // Sizes up to |limit|; the default is the largest.
    const auto up_to = [&](int64_t n, int64_t limit) {
      return TileSize{PowerUpTo(n, limit), PowerUpTo(n, limit)};
    };
    t.each_c = up_to(extent(t.c), 4);
    t.each_x = up_to(extent(t.x), 2);
    t.threads_x = up_to(extent(t.x), 8);
    t.threads_x.pick = PowerUpTo(extent(t.x) / t.each_x.pick, 8);
    t.threads_y = up_to(extent(t.y), 4);
    const int64_t points = t.threads_x.pick * t.threads_y.pick;
    t.threads_c =
        up_to(extent(t.c), std::min(s_.target().max_threads / (t.threads_x.most * t.threads_y.most),
                                    s_.target().MostOf(ir::LoopKind::kThreadZ)));
    t.threads_c.pick = PowerUpTo(extent(t.c) / t.each_c.pick, s_.target().group_threads / points);
    t.threads_c.most = std::min(t.threads_c.most, 2 * t.threads_c.pick);
    if (points * t.threads_c.pick < 8) return {};
    return Chunk(*roles, channel->axis.extent, std::move(t));
  }

  // The longest chunk with which both operands fit in three quarters of shared memory.
  std::optional<GpuTiles> Chunk(const te::Roles& roles, int64_t channels, GpuTiles t) const {
    const int64_t room = s_.target().FindMemory(ir::Scope::kShared)->bytes / 4 * 3;
    for (int64_t chunk = std::min<int64_t>(std::bit_floor(static_cast<uint64_t>(channels)), 16);
         chunk >= 1; chunk /= 2) {
      std::map<int, int64_t> points, weights;  // by dimension: the last index reached
      const auto reach = [&](const te::AxisRole& a, int64_t n) {
        if (a.input_dim >= 0) points[a.input_dim] += (n - 1) * a.coeff;
        if (a.weight_dim >= 0) weights[a.weight_dim] += n - 1;
      };
      for (size_t d = 0; d < roles.data.size(); ++d) {
        const int dim = static_cast<int>(d);
        reach(roles.data[d], dim == t.c   ? t.threads_c.most * t.each_c.most
                             : dim == t.x ? t.threads_x.most * t.each_x.most
                             : dim == t.y ? t.threads_y.most
                                          : 1);
      }
      for (const te::AxisRole& a : roles.reduced)
        reach(a, a.axis.name() == t.channel ? chunk : a.axis.extent);
      if (Bytes(weights, t.weight_row, (*roles.weight)->tensor->dtype) +
              Bytes(points, t.input_row, roles.input->tensor->dtype) <=
          room) {
        t.chunk = {chunk, chunk};
        return t;
      }
    }
    return {};
  }

  // Elements of a bank of shared memory, which has 4 bytes. Rows that begin an odd number of banks
  // apart are in different banks.
  static int64_t BankOf(DType dtype) { return std::max(int64_t{1}, 4 / SizeOf(dtype)); }

  // Bytes of a copy of the elements reached, with the rows of dimension |row| as far apart as Fetch
  // puts them.
  static int64_t Bytes(const std::map<int, int64_t>& reached, int row, DType dtype) {
    const int64_t bank = BankOf(dtype);
    int64_t elements = 1;
    for (auto at = reached.rbegin(); at != reached.rend(); ++at) {
      if (at->first == row) elements += ((bank - elements) % (2 * bank) + 2 * bank) % (2 * bank);
      elements *= at->second + 1;
    }
    return elements * SizeOf(dtype);
  }

  // Makes the blocks; returns the stage that stores them.
  Result<std::string> Tile(const GpuTiles& t) {
    TESSERA_TRY(g_.Decide("c.threads", t.threads_c));
    TESSERA_TRY(g_.Decide("x.threads", t.threads_x));
    TESSERA_TRY(g_.Decide("y.threads", t.threads_y));
    TESSERA_TRY(g_.Decide("c.each", t.each_c));
    TESSERA_TRY(g_.Decide("x.each", t.each_x));
    TESSERA_TRY(g_.Decide("chunk", t.chunk));
    // |home| holds the result, |acc| the sums.
    const std::string output = s_.outputs()[0].name();
    std::string home = output, acc = t.anchor;
    if (g_.OutputFollows(t.anchor)) {
      TESSERA_TRY(s_.Apply(SetScopeStep{acc, ir::Scope::kReg}));
    } else {
      home = t.anchor;
      acc = t.anchor + ".sum";
      TESSERA_TRY(s_.Apply(CacheWriteStep{home, ir::Scope::kReg, acc}));
    }
    // Tiles of one element make the most groups.
    const auto most = [&](int dim) {
      return dim < 0 ? 1 : s_.Find(home)->shape[static_cast<size_t>(dim)];
    };
    const auto grids = g_.GridAxes({most(t.x), most(t.y), most(t.c)});
    std::vector<std::string> grid, rest, threads, own;
    for (const bool sums : {false, true}) {
      const std::string name = sums ? acc : home;
      grid.clear(), rest.clear(), threads.clear(), own.clear();
      const std::vector<ir::Axis> axes = s_.Find(name)->axes;
      for (size_t d = 0; d < axes.size(); ++d) {
        const int dim = static_cast<int>(d);
        const std::string a = axes[d].name();
        if (dim != t.c && dim != t.x && dim != t.y) {
          rest.push_back(a);
          continue;
        }
        const std::string of = dim == t.c ? "c" : dim == t.x ? "x" : "y";
        const Amount each = dim == t.y ? Amount(1) : Amount::Of(of + ".each");
        const size_t along = dim == t.x ? 0 : dim == t.y ? 1 : 2;
        TESSERA_TRY(g_.Split(name, a, each, sums ? ".t" : ".q", ".e"));
        if (!sums) {
          TESSERA_TRY(
              s_.Apply(SplitStep{name, a + ".q", Amount::Of(of + ".threads"), a + ".g", a + ".t"}));
          TESSERA_TRY(s_.Apply(BindStep{name, a + ".g", grids[along]}));
          grid.push_back(a + ".g");
        }
        TESSERA_TRY(s_.Apply(BindStep{name, a + ".t", kThreads[along]}));
        threads.push_back(a + ".t");
        own.push_back(a + ".e");
      }
      if (!sums) {
        TESSERA_TRY(s_.Apply(ReorderStep{name, Joined({grid, rest, threads, own})}));
        TESSERA_TRY(s_.Apply(ComputeAtStep{acc, {home, rest.empty() ? grid.back() : rest.back()}}));
        continue;
      }
      TESSERA_TRY(g_.Split(name, t.channel, Amount::Of("chunk"), ".o", ".i"));
      std::vector<std::string> inner;
      for (const ir::Axis& a : s_.Find(name)->reduce_axes)
        inner.push_back(a.name() == t.channel ? t.channel + ".i" : a.name());
      TESSERA_TRY(
          s_.Apply(ReorderStep{name, Joined({rest, {t.channel + ".o"}, threads, inner, own})}));
      for (const std::string& loop : own) TESSERA_TRY(s_.Apply(UnrollStep{name, loop}));
    }
    TESSERA_TRY(Fetch(t, t.input, acc, t.input_row));
    TESSERA_TRY(Fetch(t, t.weight, acc, t.weight_row));
    return home;
  }

  // All threads of the group bring a chunk of |tensor| to shared memory; neighbouring threads bring
  // neighbouring elements.
  Status Fetch(const GpuTiles& t, const std::string& tensor, const std::string& acc, int row) {
    std::string copy = tensor;
    const Stage& st = *s_.Find(tensor);
    if (st.placeholder || !st.reduce_axes.empty() || st.output) {
      copy = tensor + ".s";
      TESSERA_TRY(s_.Apply(CacheReadStep{tensor, ir::Scope::kShared, copy, {acc}}));
    } else {
      TESSERA_TRY(s_.Apply(SetScopeStep{copy, ir::Scope::kShared}));
    }
    if (row >= 0) {
      const int64_t bank = BankOf(st.dtype);
      TESSERA_TRY(s_.Apply(StorageAlignStep{copy, row, 2 * bank, bank}));
    }
    TESSERA_TRY(s_.Apply(ComputeAtStep{copy, {acc, t.channel + ".o"}}));
    TESSERA_ASSIGN(const std::string all, g_.FuseAll(copy));
    TESSERA_TRY(s_.Apply(SplitStep{copy, all, Amount::Of("x.threads"), "f.zy", "f.x"}));
    TESSERA_TRY(s_.Apply(SplitStep{copy, "f.zy", Amount::Of("y.threads"), "f.z", "f.y"}));
    TESSERA_TRY(s_.Apply(SplitStep{copy, "f.z", Amount::Of("c.threads"), "f.o", "f.c"}));
    TESSERA_TRY(s_.Apply(BindStep{copy, "f.c", ir::LoopKind::kThreadZ}));
    TESSERA_TRY(s_.Apply(BindStep{copy, "f.y", ir::LoopKind::kThreadY}));
    return s_.Apply(BindStep{copy, "f.x", ir::LoopKind::kThreadX});
  }

  GpuSteps g_;
  Schedule& s_;
  const std::set<std::string>& constants_;
  SketchChoice& choice_;
};

Result<Schedule> MakeGpu(const std::vector<te::Tensor>& outputs,
                         std::shared_ptr<const target::Target> target,
                         const std::set<std::string>& constants, SketchChoice* choice) {
  TESSERA_ASSIGN(Schedule s, Schedule::Create(outputs, std::move(target)));
  return GpuGenerator(std::move(s), constants, choice).Run();
}

}  // namespace

Result<Schedule> GpuSchedule(const std::vector<te::Tensor>& outputs,
                             std::shared_ptr<const target::Target> target,
                             const std::set<std::string>& constants) {
  SketchChoice preferred;
  return MakeGpu(outputs, std::move(target), constants, &preferred);
}

Result<std::vector<Sketch>> GpuSketches(const te::Tensor& output,
                                        const std::shared_ptr<const target::Target>& target,
                                        const std::set<std::string>& constants) {
  return SketchesBy(
      output, [&](SketchChoice* choice) { return MakeGpu({output}, target, constants, choice); });
}

}  // namespace tessera::schedule
