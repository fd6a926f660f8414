// SPDX-License-Identifier: Apache-2.0
#include "tools/trace_page.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "tools/embedded.h"
#include "tools/output.h"
#include "tools/unit_parts.h"

namespace tessera::tools {
namespace {

// More bytes of text than this are cut to mnemonics, so that a phone can open the page.
constexpr size_t kMostTextBytes = 4 << 20;

// JSON that may be inside a script element.
std::string Quoted(const std::string& text) {
  std::string json = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  for (size_t at = 0; (at = json.find('<', at)) != std::string::npos;)
    json.replace(at, 1, "\\u003c");
  return json;
}

std::string Escaped(const std::string& text) {
  std::string html;
  for (const char c : text) {
    html += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return html;
}

void Append(std::string& list, const std::string& item) {
  list += (list.empty() ? "" : ",") + item;
}

std::string CountersJson(const std::array<UnitCounters, isa::kUnits>& units) {
  std::string json;
  for (const UnitCounters& c : units) Append(json, fmt::format("[{}]", fmt::join(PartsOf(c), ",")));
  return "[" + json + "]";
}

std::string RowsJson(const CycleBins& bins, size_t first, size_t count) {
  std::string json;
  for (size_t row = first; row < first + count; ++row) {
    std::string values;
    for (const double value : bins.row(row)) Append(values, fmt::format("{:.3g}", value));
    Append(json, "[" + values + "]");
  }
  return "[" + json + "]";
}

// |page| with each @name@ replaced by its text in |parts|.
std::string Filled(std::string_view page, const std::map<std::string, std::string>& parts) {
  std::string text;
  while (true) {
    const size_t at = page.find('@');
    const size_t end = at == std::string_view::npos ? at : page.find('@', at + 1);
    if (end == std::string_view::npos) return text.append(page);
    const auto part = parts.find(std::string(page.substr(at + 1, end - at - 1)));
    text.append(page.substr(0, at));
    text.append(part == parts.end() ? std::string_view("@") : std::string_view(part->second));
    page.remove_prefix(part == parts.end() ? at + 1 : end + 1);
  }
}

}  // namespace

void CycleBins::Add(size_t row, uint64_t begin, uint64_t end, double rate) {
  while ((end + width_ - 1) / width_ > kMost) {
    for (std::vector<double>& bins : rows_) {
      for (size_t i = 0; 2 * i < bins.size(); ++i)
        bins[i] = bins[2 * i] + (2 * i + 1 < bins.size() ? bins[2 * i + 1] : 0);
      bins.resize((bins.size() + 1) / 2);
    }
    width_ *= 2;
  }
  std::vector<double>& bins = rows_[row];
  for (uint64_t at = begin; at < end;) {
    const size_t bin = at / width_;
    const uint64_t until = std::min<uint64_t>(end, (bin + 1) * width_);
    if (bins.size() <= bin) bins.resize(bin + 1);
    bins[bin] += rate * static_cast<double>(until - at);
    at = until;
  }
}

TracePage::TracePage(const TracedNetwork& network)
    : network_(network), layers_(network.layers().size()) {}

void TracePage::Begin(const sim::ProgramText& program, const sim::Occupancy* occupancy) {
  program_ = &program;
  occupancy_ = occupancy;
  row_of_.assign(static_cast<size_t>(program.image().insn_count()), -1);
  BeginSlices();
}

void TracePage::OnTaken(const InsnTaken& taken) {
  SliceObserver::OnTaken(taken);
  if (occupancy_ != nullptr) Count(taken.cycle, occupancy_->taken, taken.insn, 1);
}

size_t TracePage::TextNumber(const std::string& text) {
  const std::string shown =
      text_bytes_ < kMostTextBytes ? text : text.substr(0, text.find(' ')) + " ...";
  const auto [at, fresh] = texts_.try_emplace(shown, texts_.size());
  if (fresh) {
    text_bytes_ += shown.size();
    text_list_.push_back(&at->first);
  }
  return at->second;
}

void TracePage::OnSlice(const sim::InsnSlice& slice) {
  const std::optional<uint32_t> layer = program_->LayerOf(slice.insn);
  Append(insns_, fmt::format("[{},{},{},{},{},{},{},{}]", static_cast<int>(slice.unit), slice.insn,
                             layer ? static_cast<int64_t>(*layer) : -1,
                             TextNumber(program_->Text(slice.insn)), offset_ + slice.taken,
                             offset_ + slice.begin, offset_ + slice.end,
                             fmt::join(PartsOf(slice.spent), ",")));
  for (const sim::TokenFlow& flow : slice.popped) {
    if (flow.insn >= row_of_.size() || row_of_[flow.insn] < 0) continue;
    Append(tokens_, fmt::format("[{},{},{},{}]", row_of_[flow.insn], rows_, offset_ + flow.cycle,
                                offset_ + slice.taken));
  }
  if (slice.insn < row_of_.size()) row_of_[slice.insn] = rows_;
  ++rows_;
  if (!slice.retired) return;
  if (occupancy_ != nullptr) Count(slice.end, occupancy_->retired, slice.insn, -1);
  const auto insn = program_->Decode(slice.insn);
  if (!layer || *layer >= layers_.size() || !insn) return;
  const isa::Traffic traffic = isa::TrafficOf(insn->insn, network_.config());
  layers_[*layer].read += traffic.read;
  layers_[*layer].written += traffic.written;
}

void TracePage::OnSpan(const UnitSpan& span) {
  SliceObserver::OnSpan(span);
  size_t kind = 0;
  switch (span.activity) {
    case Activity::kBusy:
      kind = 0;
      break;
    case Activity::kToken:
      kind = 1;
      break;
    case Activity::kMemory:
      kind = 2;
      break;
    case Activity::kHazard:
      kind = 3;
      break;
    case Activity::kIdle:
      return;
  }
  activity_.Add(4 * Index(span.unit) + kind, offset_ + span.begin, offset_ + span.end, 1);
}

void TracePage::OnBus(const BusBeats& bus) {
  SliceObserver::OnBus(bus);
  bus_.Add(static_cast<size_t>(bus.user), offset_ + bus.begin, offset_ + bus.end,
           static_cast<double>(bus.beats) / static_cast<double>(bus.end - bus.begin));
}

void TracePage::Count(uint64_t cycle, const std::vector<sim::TileCounts>& changes, uint32_t insn,
                      int sign) {
  if (insn >= changes.size()) return;
  for (size_t m = 0; m < isa::kMemories; ++m) {
    if (changes[insn][m] == 0) continue;
    tiles_[m] += sign * changes[insn][m];
    use_[m].emplace_back(offset_ + cycle,
                         tiles_[m] * network_.config().TileBytes(static_cast<isa::Memory>(m),
                                                                 program_->image().profile));
  }
}

void TracePage::End(const ProgramRun* run, uint64_t cycle) {
  EndSlices(cycle);
  if (run != nullptr) {
    const isa::ProgramImage& image = program_->image();
    for (const LayerSpan& span : LayerSpans(image, run->trace, layers_.size(), cycle)) {
      if (span.begin == span.end) continue;
      layers_[span.layer].cycles += span.end - span.begin;
      Append(spans_, fmt::format(R"({{"layer":{},"begin":{},"end":{}}})", span.layer,
                                 offset_ + span.begin, offset_ + span.end));
    }
    const auto units = LayerUnits(image, run->trace, layers_.size(), run->report);
    for (size_t u = 0; u < isa::kUnits; ++u) {
      for (size_t l = 0; l < layers_.size(); ++l) layers_[l].units[u] += units[l][u];
      units_[u] += run->report.units[u];
    }
    instructions_ += run->report.instructions;
  }
  offset_ += cycle;
}

std::string TracePage::LayersJson() const {
  std::string json;
  for (size_t l = 0; l < layers_.size(); ++l) {
    const TracedLayer& known = network_.layers()[l];
    const PageLayer& layer = layers_[l];
    Append(json,
           fmt::format(
               R"({{"name":{},"op":{},"macs":{},"cycles":{},"read":{},"written":{},"units":{}}})",
               Quoted(known.name), Quoted(known.op), known.macs, layer.cycles, layer.read,
               layer.written, CountersJson(layer.units)));
  }
  return "[" + json + "]";
}

// The most tiles in use in each scratchpad in each bin.
std::string TracePage::UseJson() const {
  std::string json;
  const isa::Profile profile = network_.program(0).profile;
  for (size_t m = 0; m < isa::kMemories; ++m) {
    if (use_[m].empty()) continue;
    const auto memory = static_cast<isa::Memory>(m);
    std::vector<int64_t> most((offset_ + activity_.width() - 1) / activity_.width());
    int64_t now = 0;
    auto change = use_[m].begin();
    for (size_t bin = 0; bin < most.size(); ++bin) {
      most[bin] = now;
      for (; change != use_[m].end() && change->first < (bin + 1) * activity_.width(); ++change)
        most[bin] = std::max(most[bin], now = change->second);
    }
    Append(json, fmt::format(R"({{"name":"{}","bytes":{},"most":[{}]}})", Text(memory),
                             network_.config().Depth(memory, profile) *
                                 network_.config().TileBytes(memory, profile),
                             fmt::join(most, ",")));
  }
  return "[" + json + "]";
}

std::string TracePage::Html(const PageTitle& title) const {
  std::string texts, activity;
  for (const std::string* text : text_list_) Append(texts, Quoted(*text));
  for (size_t u = 0; u < isa::kUnits; ++u) Append(activity, RowsJson(activity_, 4 * u, 4));
  const isa::Config& config = network_.config();
  std::string data = fmt::format(
      R"({{"model":{},"device":{},"error":{},"config":{},"mhz":{},"cycles":{},"instructions":{},"macs_per_cycle":{},"bus_bytes":{},)",
      Quoted(title.model), Quoted(title.device), Quoted(title.error), Quoted(config.name),
      title.mhz, std::max<uint64_t>(offset_, 1), instructions_, config.macs_per_cycle(),
      config.bus_bytes());
  data += fmt::format(
      R"("units":{},"layers":{},"spans":[{}],"texts":[{}],"insns":[{}],"tokens":[{}],"bins":{{"width":{},"bus_width":{},"units":[{}],"bus":{}}},"use":{}}})",
      CountersJson(units_), LayersJson(), spans_, texts, insns_, tokens_, activity_.width(),
      bus_.width(), activity, RowsJson(bus_, 0, kBusUsers), UseJson());
  const size_t slash = title.model.rfind('/');
  return Filled(
      EmbeddedFile("page.html"),
      {{"title", Escaped(slash == std::string::npos ? title.model : title.model.substr(slash + 1))},
       {"css", std::string(EmbeddedFile("page.css"))},
       {"data", data},
       {"js", std::string(EmbeddedFile("timeline.js")) + std::string(EmbeddedFile("tables.js"))}});
}

}  // namespace tessera::tools
