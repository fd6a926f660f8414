// SPDX-License-Identifier: Apache-2.0
//
// The decisions that a user gives: network traces, and what schedules of layers keep in INP.
#include <fmt/format.h>

#include "compiler/network/residency_planner.h"

namespace tessera::network {
namespace {

constexpr int64_t kMostSpare = 64;  // tiles of a chain; more than any INP has room for

// The step of kind |S| of |region|'s network trace, for a message: "net.txt:3: stay".
template <typename S>
std::string StepText(const ResidencyRegion& region) {
  for (const schedule::NetworkStep& step : *region.given) {
    if (!std::holds_alternative<S>(step)) continue;
    return step.from.empty() ? S::kName : fmt::format("{}: {}", step.from, S::kName);
  }
  return S::kName;
}

}  // namespace

Chain TurnsOf(const Decisions& decisions, size_t region) {
  for (size_t first = 0; first <= region; ++first) {
    const auto& turns = decisions[first].turns;
    const size_t last = first + (turns ? static_cast<size_t>(turns->layers) - 1 : 0);
    if (region <= last && last > first) return {first, last};
  }
  return {region, region};
}

Status ResidencyPlanner::AddGiven(size_t r, Decisions* decisions) const {
  const ResidencyRegion& region = regions_[r];
  Decision& decision = (*decisions)[r];
  const auto refuse = [&](const std::string& step, std::string_view why) {
    return Fail(Code::kInvalidArgument, "{}: {}: {}", region.name, step, why);
  };
  if (const auto* turns = schedule::StepOf<schedule::TurnsStep>(*region.given)) {
    const std::string text = StepText<schedule::TurnsStep>(region);
    if (turns->layers < 2 || turns->rows < 1 || turns->spare < 0) {
      return refuse(text,
                    "two layers or more take turns, with a row or more in a tile and no fewer "
                    "than 0 tiles to spare");
    }
    if (turns->rows > region.shape[2] || turns->spare > kMostSpare) {
      return refuse(text, fmt::format("its result has {} rows, and at most {} tiles can be spare",
                                      region.shape[2], kMostSpare));
    }
    if (turns->blocks && (*turns->blocks < 1 || *turns->blocks >= BlocksOf(r))) {
      return refuse(text,
                    fmt::format("its result has {} blocks of channels; turns are by fewer, or "
                                "for all at once without the number",
                                BlocksOf(r)));
    }
    if (turns->layers > static_cast<int64_t>(regions_.size() - r)) {
      return refuse(text, fmt::format("{} layers are left in its program", regions_.size() - r));
    }
    // Schedules with fold_storage say themselves which rows are there.
    if (!region.steps) {
      if (TurnsOf(*decisions, r).first != r)
        return refuse(text, "it takes turns with layers in front of it already");
      for (size_t k = r; k + 1 < r + static_cast<size_t>(turns->layers); ++k) {
        if (const char* why = WhyNoTurns(k))
          return refuse(text, fmt::format("{} and the next layer cannot take turns: {}",
                                          regions_[k].name, why));
      }
      const size_t last = r + static_cast<size_t>(turns->layers) - 1;
      if (const char* why = turns->blocks ? WhyNoBlocks(r, last) : nullptr) {
        return refuse(text, fmt::format("its layers cannot take turns by blocks of channels: of "
                                        "one of them, {}; leave out the number of blocks",
                                        why));
      }
      decision.turns = *turns;
    }
  }
  if (const auto* room = schedule::StepOf<schedule::RoomStep>(*region.given)) {
    const std::string text = StepText<schedule::RoomStep>(region);
    if (r + 1 == regions_.size()) return refuse(text, "no layer of its program comes next");
    if (room->eighths < 1 || room->eighths > 7) return refuse(text, "1 to 7 eighths can be left");
    if (!region.steps && !regions_[r + 1].steps) decision.room = *room;
  }
  return {};
}

Result<Decisions> ResidencyPlanner::Given() const {
  Decisions decisions(regions_.size());
  for (size_t r = 0; r < regions_.size(); ++r) {
    const ResidencyRegion& region = regions_[r];
    const MaybeResident& candidate = candidates_[r];
    std::optional<bool> stays = region.resident;
    const bool asked = !stays && !region.steps && ReadWhereItStays(region.result);
    if (asked) stays = true;
    std::string says = asked ? "the schedule of a layer that reads it says that it stays on chip"
                             : "its schedule says that the result stays on chip";
    if (region.given != nullptr) {
      TESSERA_TRY(AddGiven(r, &decisions));
      if (decisions[r].turns && !PlanBy(decisions)) {
        return Fail(Code::kInvalidArgument,
                    "{}: {}: its bands of rows do not fit into INP's {} tiles beside what stays, "
                    "or one is as large as its tensor; ask for fewer layers, rows or spare tiles",
                    region.name, StepText<schedule::TurnsStep>(region),
                    config_.Depth(isa::Memory::kInp));
      }
      if (schedule::StepOf<schedule::StayStep>(*region.given) != nullptr) {
        if (r < TurnsOf(decisions, r).last) {
          return Fail(Code::kInvalidArgument,
                      "{}: {}: the layer takes turns, so that a band of the result is in INP; "
                      "leave out one of the two",
                      region.name, StepText<schedule::StayStep>(region));
        }
        says = StepText<schedule::StayStep>(region);
        if (stays && !*stays)
          return Fail(Code::kInvalidArgument, "{}: {}: it has to go to device memory", region.name,
                      says);
        stays = true;
      }
    }
    if (!stays || !*stays) continue;
    if (candidate.resident && candidate.resident->folded && options_.store_all) {
      return Fail(Code::kInvalidArgument,
                  "{}: its schedule has some of its rows at a time (fold_storage), of which a "
                  "program that stores every layer's result has no copy; compile without "
                  "--keep-tensors, or without that schedule",
                  region.name);
    }
    decisions[r].stays = candidate.resident.has_value();
    if (!candidate.resident || !PlanBy(decisions)) {
      return Fail(Code::kInvalidArgument, "{}: {}, but {}", region.name, says, candidate.why);
    }
  }
  return decisions;
}

}  // namespace tessera::network
