// SPDX-License-Identifier: Apache-2.0
//
// Domains of the sizes of a tile of work. Each says what the tile takes in the scratchpads, as
// lowering will find it, by the sizes decided so far. A domain leaves room for the least of every
// later size, so any value of it can be picked.
#include <algorithm>

#include "base/check.h"
#include "compiler/schedule/accel/step_writer.h"

namespace tessera::schedule::accel {

using ir::Scope;

StepWriter::SizeFacts StepWriter::FactsOf(PlanSize size) const {
  switch (size) {
    case PlanSize::kChannels:
      return {"channels", plan_.channel_tile, extents_.out_blocks};
    case PlanSize::kPart:
      return {"part", plan_.channel_part, extents_.out_blocks};
    case PlanSize::kRows:
      return {"rows", plan_.y_tile, extents_.out_y};
    case PlanSize::kColumns:
      return {"columns", plan_.x_tile, extents_.out_x};
    case PlanSize::kInputs:
      return {"inputs", plan_.input_tile, extents_.in_blocks};
  }
  TESSERA_CHECK(false);
}

// A stage in place is computed once: parts divide the channels, or one tile has all channels.
bool StepWriter::InPlace() const {
  return std::ranges::any_of(passes_, [](const Pass& pass) { return !pass.changes.empty(); });
}
bool StepWriter::PartsDivide() const { return plan_.channel_tile % plan_.channel_part == 0; }

// Blocks of grouped channels read different boxes; no product of sizes describes these.
bool StepWriter::Fixed(PlanSize size) const {
  if (size == PlanSize::kChannels && (grouped_ || (InPlace() && !PartsDivide()))) return true;
  if (plan_.inputs_outside && size == PlanSize::kInputs) return true;
  return on_chip_.rows > 0 &&
         (size == PlanSize::kChannels || size == PlanSize::kRows || size == PlanSize::kColumns);
}

void StepWriter::Cut(const std::string& stage, const std::string& axis, PlanSize size,
                     const std::string& outer, const std::string& inner) {
  const SizeFacts facts = FactsOf(size);
  if (Fixed(size)) {
    Add(DecideStep{facts.name, {.values = {facts.picked}}, facts.picked});
  } else {
    sizes_.insert(size);
    // The pitch has a fixed width, so rows cannot become wider.
    const bool pitched = size == PlanSize::kColumns && anchored_ && boxed() && Pitch() > 0;
    const bool divides = size == PlanSize::kPart && InPlace() && PartsDivide();
    Domain domain{.kind = divides ? DomainKind::kFactors : DomainKind::kTiles,
                  .stage = stage,
                  .axis = axis,
                  .room = RoomFor(size)};
    if (pitched) domain.most = facts.picked;
    Add(DecideStep{facts.name, std::move(domain), facts.picked});
  }
  const Amount picked = Amount::Of(facts.name);
  Add(SplitStep{stage, axis, picked, outer, inner});
}

void StepWriter::AddBuffer(Scope memory, std::vector<PlanSide> sides) {
  const int64_t tile = config_.TileBytes(target::MemoryOf(memory));
  sides.insert(sides.begin(), {std::nullopt, {.plus = tile}});
  buffers_.push_back({memory, std::move(sides)});
}

// The buffers of a tile of work: sums, results of passes in ACC and OUT, records, input, weights.
void StepWriter::FindBuffers() {
  const PlanSide channels{PlanSize::kChannels, {1, "", 0}},
      part{parts_ ? PlanSize::kPart : PlanSize::kChannels, {1, "", 0}},
      rows{PlanSize::kRows, {1, "", 0}}, columns{PlanSize::kColumns, {1, "", 0}};
  const PlanSide summed =
      plan_.inputs_outside ? PlanSide{std::nullopt, {.plus = extents_.out_y}} : rows;
  if (anchored_) AddBuffer(Scope::kAcc, {channels, summed, columns});
  for (const Pass& pass : passes_) {
    if (!pass.changes.empty() || pass.name == out_) continue;  // no buffer, or not a tile's
    AddBuffer(pass.step->wide() ? Scope::kAcc : Scope::kOut, {part, rows, columns});
  }
  for (size_t k = 0; k < fetched_.size(); ++k) AddBuffer(Scope::kOut, {part, rows, columns});
  if (plan_.params != Residency::kRegion) {
    for (size_t k = 0; k < records_.size(); ++k) AddBuffer(Scope::kPrm, {part});
  }
  if (boxed()) FindInput();
  if (weighted_ && plan_.weights != Residency::kRegion) FindWeights();
}

void StepWriter::FindInput() {
  const Extents& e = extents_;
  const auto side = [&](size_t d, PlanSize size) -> PlanSide {
    const WindowAxis& w = a_.window[d];
    const int64_t count = d == 0 && plan_.window_rows > 0 ? plan_.window_rows : w.taps;
    const int64_t stride = e.chip_stride[d], taps = (count - 1) * w.dilation + 1;
    const int64_t pitch = d == 1 ? Pitch() : 0;
    if (pitch > 0)
      return {std::nullopt, {.plus = RoundUp((plan_.x_tile - 1) * stride + taps, pitch)}};
    return {size, {stride, "", taps - stride}};
  };
  PlanSide blocks{PlanSize::kChannels, {1, "", 0}};
  if (contraction_) {
    const int64_t all = grouped_ && plan_.channel_tile > 1 ? e.in_total : e.in_blocks;
    const bool whole = plan_.input_above || (grouped_ && plan_.channel_tile > 1);
    blocks = whole ? std::pair{std::optional<PlanSize>(), BoxSide{.plus = all}}
                   : std::pair{std::optional(PlanSize::kInputs), BoxSide{1, "", 0}};
  }
  const PlanSide terms{std::nullopt, {.plus = a_.input_terms}};
  AddBuffer(Scope::kInp, {blocks, side(0, PlanSize::kRows), side(1, PlanSize::kColumns), terms});
}

void StepWriter::FindWeights() {
  const Extents& e = extents_;
  const PlanSide channels{PlanSize::kChannels, {1, "", 0}},
      part{parts_ ? PlanSize::kPart : PlanSize::kChannels, {1, "", 0}},
      inputs{PlanSize::kInputs, {1, "", 0}};
  if (!contraction_) {
    if (plan_.weights == Residency::kChannel && thin_) return;  // all of them are fetched once
    return AddBuffer(Scope::kWgt, {{std::nullopt, {.plus = window_tiles_}}, channels});
  }
  const PlanSide tiles{std::nullopt,
                       {.plus = e.weight_tiles * (WeightsByChannels() ? e.in_blocks : 1)}};
  if (WeightsByChannels()) return AddBuffer(Scope::kWgt, {tiles, channels});
  AddBuffer(Scope::kWgt, {tiles, part, inputs});
}

int64_t StepWriter::BytesOf(const TileBuffer& buffer, bool most) const {
  int64_t bytes = 1;
  for (const auto& [size, side] : buffer.sides) {
    int64_t n = 0;
    if (size) n = most && !Fixed(*size) ? FactsOf(*size).most : FactsOf(*size).picked;
    bytes *= side.times * n + side.plus;
  }
  return target_->FindMemory(buffer.memory)->Taken(bytes);
}

std::vector<BoxSide> StepWriter::SidesOf(const TileBuffer& buffer) const {
  std::vector<BoxSide> sides{{}};
  for (const auto& [size, side] : buffer.sides) {
    if (size && sizes_.contains(*size)) {
      sides.push_back({side.times, FactsOf(*size).name, side.plus});
    } else {
      const int64_t picked = !size ? 0 : Fixed(*size) ? FactsOf(*size).picked : 1;
      sides[0].plus *= side.times * picked + side.plus;
    }
  }
  return sides;
}

// Where the plan's sizes have room for a second copy of a buffer, other values must have it too.
// Where they do not, the buffer has no double_buffer.
std::vector<RoomNeed> StepWriter::RoomFor(PlanSize size) const {
  std::vector<RoomNeed> needs;
  for (const target::TargetMemory& memory : target_->memories) {
    RoomNeed need{memory.scope, {}};
    int64_t bytes = 0, most = 0, most_of_one = 0;
    std::vector<const TileBuffer*> here;
    bool asked = false;
    for (const TileBuffer& buffer : buffers_) {
      if (buffer.memory != memory.scope) continue;
      here.push_back(&buffer);
      bytes += BytesOf(buffer, false);
      most += BytesOf(buffer, true);
      most_of_one = std::max(most_of_one, BytesOf(buffer, true));
      need.buffers.push_back(SidesOf(buffer));
      for (const PlanSide& side : buffer.sides) asked |= side.first == size;
    }
    // Tiles of work of other regions come between two tiles of this one.
    if (on_chip_.rows > 0 && memory.scope != Scope::kInp) {
      bytes *= 2, most *= 2;
      for (size_t k = 0; k < here.size(); ++k) need.buffers.push_back(need.buffers[k]);
    }
    // Activations that stay from region to region take the rest of INP.
    int64_t others = 0;
    if (memory.scope == Scope::kInp && on_chip_.inp_tiles >= 0)
      others = memory.bytes - on_chip_.inp_tiles * config_.inp_tile_bytes();
    if (!asked || bytes + others > memory.bytes) continue;
    if (most + most_of_one + others <= memory.bytes) continue;  // even the largest tile has room
    if (others > 0) need.buffers.push_back({{.plus = others}});
    std::map<std::string, RoomNeed> said;  // by text, without duplicates
    for (const TileBuffer* buffer : here) {
      if (bytes + others + BytesOf(*buffer, false) > memory.bytes) continue;
      RoomNeed twice = need;
      twice.buffers.push_back(SidesOf(*buffer));
      said.emplace(Print(twice), twice);
    }
    if (said.empty()) said.emplace(Print(need), need);
    for (const auto& [text, one] : said) needs.push_back(one);
  }
  return needs;
}

}  // namespace tessera::schedule::accel
