// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/chrome_trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tessera::sim {
namespace {

// The threads of a process: layers, then two for each unit: instructions and waits.
constexpr int kLayers = 1;
constexpr int Instructions(isa::Unit unit) { return 2 + 2 * static_cast<int>(unit); }
constexpr int Waits(isa::Unit unit) { return 3 + 2 * static_cast<int>(unit); }
constexpr size_t kMostBusPoints = 4096;

std::string Upper(isa::Unit unit) {
  std::string name(Text(unit));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string CountersText(const UnitCounters& c) {
  return fmt::format(R"("busy":{},"token":{},"memory":{},"hazard":{},"idle":{})", c.busy,
                     c.token_wait, c.memory_wait, c.hazard, c.idle);
}

std::string Units(uint8_t mask) {
  std::string names;
  for (int u = 0; u < isa::kUnits; ++u) {
    if (mask >> u & 1) names += (names.empty() ? "" : ", ") + Upper(static_cast<isa::Unit>(u));
  }
  return names;
}

// "token of GEMM", "room for a token to STORE", "memory", "bank or pipeline".
std::string WaitText(const UnitSpan& span) {
  switch (span.activity) {
    case Activity::kMemory:
      return "memory";
    case Activity::kHazard:
      return "bank or pipeline";
    case Activity::kToken:
      return span.missing != 0 ? "token of " + Units(span.missing)
                               : "room for a token to " + Units(span.full);
    case Activity::kBusy:
    case Activity::kIdle:
      break;
  }
  return "";
}

}  // namespace

void ChromeTrace::Event(const std::string& event) {
  file_.Add((any_ ? ",\n" : "{\"traceEvents\":[\n") + event);
  any_ = true;
}

void ChromeTrace::Track(int thread, const std::string& name) {
  Event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}})",
                    process_, thread, name));
  Event(fmt::format(
      R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
      process_, thread, thread));
}

void ChromeTrace::Begin(const ProgramText& program, const isa::Config& config,
                        const std::vector<std::string>& layers, const Occupancy* occupancy) {
  program_ = &program;
  config_ = &config;
  occupancy_ = occupancy;
  layers_.clear();
  for (const std::string& layer : layers) layers_.push_back(Quoted(layer));
  tiles_ = {};
  beats_.clear();
  BeginSlices();
  ++process_;
  Event(fmt::format(
      R"({{"ph":"M","name":"process_name","pid":{0},"args":{{"name":"program {1}, {2}"}}}})",
      process_, process_ - 1, config.name));
  Track(kLayers, "layers");
  for (int u = 0; u < isa::kUnits; ++u) {
    const auto unit = static_cast<isa::Unit>(u);
    Track(Instructions(unit), Upper(unit));
    Track(Waits(unit), Upper(unit) + " waits");
  }
}

void ChromeTrace::OnTaken(const InsnTaken& taken) {
  SliceObserver::OnTaken(taken);
  if (occupancy_ != nullptr) Count(taken.cycle, occupancy_->taken, taken.insn, 1);
}

void ChromeTrace::OnSlice(const InsnSlice& slice) {
  const std::string text = program_->Text(slice.insn);
  const std::optional<uint32_t> layer = program_->LayerOf(slice.insn);
  const int thread = Instructions(slice.unit);
  std::string event = fmt::format(
      R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"args":{{"insn":{},"text":{},"taken":{})",
      process_, thread, At(slice.begin), slice.end - slice.begin,
      Quoted(text.substr(0, text.find(' '))), slice.insn, Quoted(text), slice.taken);
  if (layer && *layer < layers_.size()) event += fmt::format(R"(,"layer":{})", layers_[*layer]);
  event += slice.retired ? fmt::format(R"(,"retired":{})", slice.end - 1) : R"(,"unfinished":true)";
  Event(event + "," + CountersText(slice.spent) + "}}");
  // An arrow ends at the beginning of the slice, because the instruction before may still be
  // running when the token is popped.
  for (const TokenFlow& flow : slice.popped) {
    const auto end = [&](std::string_view kind, int track, uint64_t cycle) {
      Event(fmt::format(R"({{{},"id":{},"pid":{},"tid":{},"ts":{},"cat":"token","name":"token"}})",
                        kind, flow.id, process_, track, At(cycle)));
    };
    end(R"("ph":"s")", Instructions(flow.from), flow.cycle);
    end(R"("ph":"f","bp":"e")", thread, slice.begin);
  }
  if (slice.retired && occupancy_ != nullptr) Count(slice.end, occupancy_->retired, slice.insn, -1);
}

void ChromeTrace::OnSpan(const UnitSpan& span) {
  SliceObserver::OnSpan(span);
  const std::string wait = WaitText(span);
  if (wait.empty() || span.end - span.begin < options_.shortest_wait) return;
  Event(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":"{}","cat":"wait"}})",
                    process_, Waits(span.unit), At(span.begin), span.end - span.begin, wait));
}

void ChromeTrace::OnBus(const BusBeats& bus) {
  SliceObserver::OnBus(bus);
  const double rate = static_cast<double>(bus.beats) / static_cast<double>(bus.end - bus.begin);
  for (uint64_t at = bus.begin; at < bus.end;) {
    const size_t window = at / options_.bus_window;
    const uint64_t until = std::min<uint64_t>(bus.end, (window + 1) * options_.bus_window);
    if (beats_.size() <= window) beats_.resize(window + 1);
    beats_[window][static_cast<size_t>(bus.user)] += rate * static_cast<double>(until - at);
    at = until;
  }
}

void ChromeTrace::Count(uint64_t cycle, const std::vector<TileCounts>& changes, uint32_t insn,
                        int sign) {
  if (insn >= changes.size()) return;
  for (size_t m = 0; m < isa::kMemories; ++m) {
    if (changes[insn][m] == 0) continue;
    tiles_[m] += sign * changes[insn][m];
    const auto memory = static_cast<isa::Memory>(m);
    Event(fmt::format(R"({{"ph":"C","pid":{},"ts":{},"name":"{} in use","args":{{"bytes":{}}}}})",
                      process_, At(cycle), Text(memory),
                      tiles_[m] * config_->TileBytes(memory, program_->image().profile)));
  }
}

void ChromeTrace::BusCounters(uint64_t cycles) {
  size_t together = 1;
  while (beats_.size() / together > kMostBusPoints) together *= 2;
  const uint64_t window = options_.bus_window * together;
  for (size_t w = 0; w * window < cycles; ++w) {
    std::array<double, kBusUsers> sum{};
    for (size_t i = w * together; i < std::min((w + 1) * together, beats_.size()); ++i) {
      for (size_t b = 0; b < kBusUsers; ++b) sum[b] += beats_[i][b];
    }
    const double scale = static_cast<double>(config_->bus_bytes()) /
                         static_cast<double>(std::min(window, cycles - w * window));
    Event(fmt::format(
        R"({{"ph":"C","pid":{},"ts":{},"name":"bus, bytes a cycle","args":{{"fetch":{:.3f},"load":{:.3f},"store":{:.3f}}}}})",
        process_, At(w * window), sum[0] * scale, sum[1] * scale, sum[2] * scale));
  }
  Event(fmt::format(
      R"({{"ph":"C","pid":{},"ts":{},"name":"bus, bytes a cycle","args":{{"fetch":0,"load":0,"store":0}}}})",
      process_, At(cycles)));
}

void ChromeTrace::End(const RunReport* report, uint64_t cycle) {
  EndSlices(cycle);
  for (int u = 0; u < isa::kUnits && report != nullptr; ++u) {
    const auto unit = static_cast<isa::Unit>(u);
    // The rest after the last retirement, so that the counters of all slices add up to the run's.
    Event(fmt::format(
        R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":"rest","args":{{{}}}}})", process_,
        Instructions(unit), At(EndOf(unit)), cycle - std::min(cycle, EndOf(unit)),
        CountersText(Less(report->units[Index(unit)], SpentBy(unit)))));
  }
  BusCounters(cycle);
  cycles_ = cycle;
}

void ChromeTrace::AddLayer(const std::string& name, uint64_t begin, uint64_t end) {
  if (begin == end) return;
  Event(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"cat":"layer"}})",
                    process_, kLayers, At(begin), end - begin, Quoted(name)));
}

}  // namespace tessera::sim
