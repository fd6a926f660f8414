// SPDX-License-Identifier: Apache-2.0
//
// What is tested: what `run`, `compare`, `trace` and `debug` need of a device beyond a single
// launch: it matches its driver's description; an executor runs networks on it, two of them at
// once; it gives cycles by layer, or refuses and keeps its counters; it reports to observers and
// shows itself to watchers; memory after a failed run, which a dump copies. A device that cannot
// report or show answers kUnsupported, in one line, and stays usable. Space: two small networks of
// copies, every driver that executes. Not tested here: the verbs (tests/tools), values that
// instructions compute (tests/isa, tests/cosim).
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/executor/executor.h"
#include "runtime/executor/layer_cycles.h"
#include "runtime/machine_view.h"
#include "tests/cts/cts.h"
#include "tests/sim/trace/run_contract.h"

namespace tessera::cts {
namespace {

using isa::Memory;
using isa::Segment;
using isa::Unit;

// |refused| has code kUnsupported and a message of one line.
void ExpectUnsupported(const Status& refused) {
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnsupported) << refused.error().message;
  EXPECT_FALSE(refused.error().message.empty());
  EXPECT_EQ(refused.error().message.find('\n'), std::string::npos) << refused.error().message;
}

class VerbTest : public ProgramTest {
 protected:
  // A tensor goes through device memory twice, once for each layer: x -> first -> second.
  isa::ProgramImage CopyTwice(int64_t tiles) const {
    const int64_t tile = config_.out_tile_bytes(), step = Step(tiles);
    isa::ProgramImage image;
    image.config_hash = config_.Hash();
    image.config_name = config_.name;
    for (const int64_t layer : {0, 1}) {
      image.Append(Word(isa::Load{.pop = layer == 0 ? 0 : Mask(Unit::kStore),
                                  .push = Mask(Unit::kStore),
                                  .memory = static_cast<int64_t>(Memory::kOut),
                                  .segment = static_cast<int64_t>(Segment::kArena),
                                  .x_bytes = tile,
                                  .dram_base = layer * step,
                                  .x_size = tiles,
                                  .y_size = 1,
                                  .x_step = tile,
                                  .z_size = 1}));
      image.Append(Word(isa::Store{.pop = Mask(Unit::kLoad),
                                   .push = layer == 0 ? Mask(Unit::kLoad) : 0,
                                   .segment = static_cast<int64_t>(Segment::kArena),
                                   .x_bytes = tile,
                                   .dram_base = (layer + 1) * step,
                                   .x_size = tiles,
                                   .y_size = 1,
                                   .x_step = tile,
                                   .z_size = 1}));
    }
    image.Append(Word(isa::Finish{}));
    image.source = {{0, 2, 0, "first"}, {2, 4, 1, "second"}};
    image.segments[static_cast<size_t>(Segment::kArena)] = {static_cast<uint64_t>(3 * step), {}};
    return image;
  }
  int64_t Step(int64_t tiles) const { return (tiles * config_.out_tile_bytes() + 63) / 64 * 64; }

  // The network of that program alone, which needs no host code.
  std::shared_ptr<const artifact::Artifact> Network(int64_t tiles) const {
    const auto bytes = static_cast<uint64_t>(tiles * config_.out_tile_bytes());
    const auto step = static_cast<uint64_t>(Step(tiles));
    const auto tensor = [&](const char* name) {
      return artifact::TensorInfo{name, DType::kInt8, {1, static_cast<int64_t>(bytes)}, {}};
    };
    constexpr artifact::BufferHome kArena = artifact::BufferHome::kArena;
    auto net = std::make_shared<artifact::Artifact>();
    net->inputs = {tensor("x")};
    net->outputs = {tensor("second")};
    net->layers = {{"first", "copy", 0, tensor("first")}, {"second", "copy", 0, tensor("second")}};
    net->devices.push_back({artifact::DeviceKind::kAccelerator, config_.name, config_.Hash()});
    net->programs.push_back({1, CopyTwice(tiles)});
    net->plans.push_back({"device",
                          {{2 * step, 2 * step}, {3 * step, 3 * step}},
                          {{"x", 0, kArena, 0, bytes},
                           {"second", 0, kArena, step, bytes},
                           {"x", 1, kArena, 0, bytes},
                           {"first", 1, kArena, step, bytes},
                           {"second", 1, kArena, 2 * step, bytes}},
                          {0},
                          {1},
                          {artifact::TransferStep{0, 2}, artifact::ProgramStep{0, {2}, {3, 4}},
                           artifact::TransferStep{4, 1}},
                          {{0, 3, {}}, {1, 4, {}}},
                          {{1, false}, {1, false}}});
    return net;
  }

  HostTensor Input(int64_t tiles, uint8_t salt) const {
    const int64_t bytes = tiles * config_.out_tile_bytes();
    HostTensor x = HostTensor::Zeros(DType::kInt8, {1, bytes});
    std::ranges::copy(Pattern(static_cast<size_t>(bytes), salt), x.bytes.begin());
    return x;
  }

  std::unique_ptr<Executor> Put(int64_t tiles, const ExecutorOptions& options = {}) {
    auto executor = Executor::Open(Network(tiles), "device", device_.get(), options);
    EXPECT_TRUE(executor) << executor.error().message;
    return executor ? std::move(*executor) : nullptr;
  }

  void ExpectCopies(Executor& executor, const HostTensor& x, ExecutionReport* report = nullptr) {
    const auto outputs = executor.Run(std::span(&x, 1), report);
    ASSERT_TRUE(outputs) << outputs.error().message;
    EXPECT_EQ(outputs->at(0).bytes, x.bytes);
    for (const uint32_t layer : {0, 1}) {
      const auto captured = executor.CaptureLayer(layer);
      ASSERT_TRUE(captured) << captured.error().message;
      EXPECT_EQ(captured->bytes, x.bytes) << "layer " << layer;
    }
  }
};

// --help, `trace` and `debug` rely on the driver's description, `run` and `compare` on the device.
TEST_P(VerbTest, IsWhatItsDriverSays) {
  const Driver& driver = *GetParam().driver;
  EXPECT_EQ(device_->has_clock(), driver.clock);
  if (device_->has_clock()) {
    EXPECT_GT(device_->clock_mhz(), 0.0);
  }
  EXPECT_EQ(device_->config().Hash(), config_.Hash());
  auto* const watched = dynamic_cast<WatchedDevice*>(device_.get());
  class SeesNothing : public MachineWatcher {
    void OnBegin(const Launch&, MachineView&) override {}
    void OnEnd(const Error*) override {}
  } nobody;
  const Status set =
      watched ? watched->SetWatcher(&nobody) : Fail(Code::kUnsupported, "it is no WatchedDevice");
  EXPECT_EQ(set.has_value(), driver.view);
  if (!set) ExpectUnsupported(set);
  if (watched) {
    EXPECT_TRUE(watched->SetWatcher(nullptr));
  }
  ExpectUsable();
}

// `compare` runs two programs of a model on one device, because it opens a board only once.
TEST_P(VerbTest, HoldsTwoNetworksAtOnce) {
  const auto one = Put(8), two = Put(3);
  ASSERT_TRUE(one && two);
  std::optional<uint64_t> cycles;
  for (const uint8_t salt : {1, 2, 3}) {
    ExecutionReport report;
    ExpectCopies(*one, Input(8, salt), &report);
    ASSERT_EQ(report.Cycles().size(), 1u);
    if (cycles) {
      EXPECT_EQ(report.Cycles()[0], *cycles);
    }
    cycles = report.Cycles()[0];
    EXPECT_EQ(*cycles > 0, device_->has_clock());
    ExpectCopies(*two, Input(3, static_cast<uint8_t>(salt + 100)));
  }
}

// Runs several items in one call, as `run` does; then all memory is free again.
TEST_P(VerbTest, GivesItsMemoryBack) {
  for (int round = 0; round < 3; ++round) {
    const auto all = device_->Allocate(kMemoryBytes - 64);
    ASSERT_TRUE(all) << all.error().message;
    ASSERT_TRUE(device_->Free(*all));
    const auto executor = Put(4);
    ASSERT_TRUE(executor);
    HostTensor items = HostTensor::Zeros(DType::kInt8, {5, 4 * config_.out_tile_bytes()});
    std::ranges::copy(Pattern(items.bytes.size(), 5), items.bytes.begin());
    ExecutionReport report;
    const auto outputs = executor->Run(std::span(&items, 1), &report);
    ASSERT_TRUE(outputs) << outputs.error().message;
    EXPECT_EQ(outputs->at(0).bytes, items.bytes);
    EXPECT_EQ(report.Cycles().size(), 5u);
  }
}

// The device gives the cycles of each layer, or refuses before the run, which then succeeds without
// a trace.
TEST_P(VerbTest, TellsCyclesByLayerOrThatItCannot) {
  const auto executor = Put(8);
  ASSERT_TRUE(executor);
  ExecutionReport plain, traced;
  ExpectCopies(*executor, Input(8, 1), &plain);
  ASSERT_EQ(plain.runs.size(), 1u);
  traced.traced = true;
  const HostTensor x = Input(8, 2);
  const auto outputs = executor->Run(std::span(&x, 1), &traced);
  if (!outputs) {
    EXPECT_EQ(outputs.error().code, Code::kUnsupported) << outputs.error().message;
    traced = {};
    ExpectCopies(*executor, x, &traced);
    EXPECT_EQ(traced.Cycles(), plain.Cycles());
    return;
  }
  EXPECT_EQ(traced.Cycles(), plain.Cycles()) << "a run takes as long when it is told of";
  const ProgramRun& run = traced.runs.at(0);
  ASSERT_EQ(run.trace.size(), 4u);
  if (!device_->has_clock()) return;
  const isa::ProgramImage image = CopyTwice(8);
  const std::vector<uint64_t> cycles = LayerCycles(image, run.trace, 2, run.report.cycles);
  EXPECT_GT(cycles[0], 0u);
  EXPECT_GT(cycles[1], 0u);
  EXPECT_EQ(cycles[0] + cycles[1], run.report.cycles);
  const auto units = LayerUnits(image, run.trace, 2, run.report);
  for (size_t u = 0; u < isa::kUnits; ++u) {
    UnitCounters sum = units[0][u];
    sum += units[1][u];
    EXPECT_EQ(sum, run.report.units[u]) << "unit " << u;
  }
}

// The observer receives all events that `trace` draws; without a clock, the retirements.
TEST_P(VerbTest, TellsAnObserverTheWholeRunOrRefuses) {
  const isa::ProgramImage image = CopyTwice(8);
  test::RunContract contract(image, config_);
  if (const Status set = device_->SetObserver(&contract); !set) {
    ExpectUnsupported(set);
    EXPECT_TRUE(device_->SetObserver(nullptr));
    ExpectUsable();
    return;
  }
  std::vector<TraceEntry> retired;
  RetiredList list(&retired);
  std::vector<isa::InsnWord> words;
  for (int64_t n = 0; n < image.insn_count(); ++n) words.push_back(image.Word(n));
  if (!device_->has_clock()) {
    ASSERT_TRUE(device_->SetObserver(&list));
  }
  const auto report = Run(words);
  ASSERT_TRUE(report) << report.error().message;
  if (device_->has_clock()) {
    contract.Expect(*report, static_cast<uint64_t>(config_.bus_bytes()));
    EXPECT_GT(contract.beats[0], 0u) << "instructions come over the bus";
  } else {
    ASSERT_EQ(retired.size(), 4u);
    for (const TraceEntry& entry : retired) EXPECT_EQ(entry.cycle, 0u);
  }
  // After SetObserver(nullptr) the observer receives nothing.
  ASSERT_TRUE(device_->SetObserver(&list));
  ASSERT_TRUE(device_->SetObserver(nullptr));
  retired.clear();
  ExpectUsable();
  EXPECT_TRUE(retired.empty());
}

// A failed run leaves memory as it was, so that a dump has the data that the run began with.
TEST_P(VerbTest, LeavesTheMemoryOfAFailedRunForADump) {
  const auto executor = Put(8, {.cpu_level = "", .budget = 2});
  ASSERT_TRUE(executor);
  const HostTensor x = Input(8, 7);
  const auto outputs = executor->Run(std::span(&x, 1));
  ExpectError(outputs, Code::kTimeout, {"2"});
  const std::optional<FailedRun> failed = executor->Failed();
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->budget, 2u);
  const std::vector<uint8_t>& arena =
      failed->image.segments[static_cast<size_t>(Segment::kArena)].data;
  ASSERT_GE(arena.size(), x.bytes.size());
  EXPECT_TRUE(std::equal(x.bytes.begin(), x.bytes.end(), arena.begin()));
  ExpectUsable();
}

// Looks at the machine when a unit takes an instruction, and stops it at instruction |stop|.
class Looking : public MachineWatcher {
 public:
  explicit Looking(std::optional<uint32_t> stop) : stop_(stop) {}
  void OnBegin(const Launch&, MachineView& view) override { ++begun, view_ = &view; }
  void OnTaken(const InsnTaken& taken) override {
    ASSERT_NE(view_, nullptr);
    order.push_back(taken.insn);
    memory = view_->DeviceMemory().size();
    out = view_->Scratchpad(Memory::kOut).size();
    queued += view_->Of(Unit::kStore).queued;
    if (stop_ == taken.insn) view_->Stop();
  }
  void OnEnd(const Error* error) override {
    ++ended, view_ = nullptr;
    if (error != nullptr) code = error->code;
  }
  int begun = 0, ended = 0;
  std::optional<Code> code;  // of the run's error
  std::vector<uint32_t> order;
  size_t memory = 0, out = 0;
  int64_t queued = 0;

 private:
  std::optional<uint32_t> stop_;
  MachineView* view_ = nullptr;
};

// `debug` watches every run from its begin to its end, and may end it.
TEST_P(VerbTest, ShowsAWatcherTheMachineWhereItsDriverSaysSo) {
  if (!GetParam().driver->view) return;  // IsWhatItsDriverSays tests the refusal
  auto* const watched = dynamic_cast<WatchedDevice*>(device_.get());
  ASSERT_NE(watched, nullptr);
  Looking whole(std::nullopt);
  ASSERT_TRUE(watched->SetWatcher(&whole));
  ExpectUsable();
  EXPECT_EQ(whole.begun, 1);
  EXPECT_EQ(whole.ended, 1);
  EXPECT_FALSE(whole.code);
  EXPECT_EQ(whole.order, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(whole.memory, kMemoryBytes);
  EXPECT_EQ(whole.out % static_cast<size_t>(config_.out_tile_bytes()), 0u);
  EXPECT_GE(whole.out, static_cast<size_t>(8 * config_.out_tile_bytes()));

  Looking stopping(0);
  ASSERT_TRUE(watched->SetWatcher(&stopping));
  ExpectError(Run(CopyProgram(8, 0, 0x1000)), Code::kTimeout, {});
  EXPECT_EQ(stopping.ended, 1);
  EXPECT_EQ(stopping.code, Code::kTimeout);
  ASSERT_TRUE(watched->SetWatcher(nullptr));
  ExpectUsable();
  EXPECT_EQ(stopping.begun, 1) << "nobody is told behind a null";
}

INSTANTIATE_TEST_SUITE_P(Cts, VerbTest, ::testing::ValuesIn(Executing()), TestName);

}  // namespace
}  // namespace tessera::cts
