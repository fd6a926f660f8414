// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/network_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "compiler/network/program.h"

namespace tessera::tune {

using schedule::Choice;

namespace {

// The sizes of chains and of the tiles in them.
constexpr int64_t kMostLayers = 6;
constexpr std::array<int64_t, 4> kRows{1, 2, 4, 8};
constexpr std::array<int64_t, 4> kSpare{1, 2, 3, 0};
constexpr int64_t kMostBlocks = 4;
constexpr int64_t kMostEighths = 6;

Choice TurnsChoice(const schedule::TurnsStep& turns) {
  std::vector<std::string> words{std::to_string(turns.layers), std::to_string(turns.rows),
                                 std::to_string(turns.spare)};
  if (turns.blocks) words.push_back(std::to_string(*turns.blocks));
  return Choice(std::move(words));
}

schedule::TurnsStep TurnsOf(const Choice& choice) {
  schedule::TurnsStep turns{std::stoll(choice.words[0]), std::stoll(choice.words[1]),
                            std::stoll(choice.words[2])};
  if (choice.words.size() > 3) turns.blocks = std::stoll(choice.words[3]);
  return turns;
}

}  // namespace

Result<NetworkSpace> NetworkSpace::Make(const compiler::PlannedProgram& program,
                                        const isa::Config& config) {
  NetworkSpace space;
  space.config_ = config;
  space.keeps_domains_ = false;
  space.program_ = program;
  for (size_t r = 0; r < program.regions.size(); ++r)
    space.program_.regions[r].network = program.network[r];
  TESSERA_ASSIGN(const network::ProgramPlan plan,
                 network::PlanProgram(space.program_.activations, space.program_.regions, config));
  space.choices_ = plan.residency.choices;
  static constexpr std::array<const char*, 4> kNames{"turns", "stay", "room", "taps"};
  for (size_t r = 0; r < program.regions.size(); ++r) {
    const schedule::NetworkTrace& trace = program.network[r];
    const auto add = [&](Kind kind, Choice given) {
      space.knobs_.push_back({fmt::format("{}.{}", r, kNames[static_cast<size_t>(kind)])});
      space.places_.push_back({r, kind});
      space.given_.picks.push_back(std::move(given));
    };
    if (space.choices_[r].turns) {
      const auto* turns = schedule::StepOf<schedule::TurnsStep>(trace);
      add(Kind::kTurns, turns != nullptr ? TurnsChoice(*turns) : Choice(0));
    }
    if (space.choices_[r].stays)
      add(Kind::kStay, schedule::StepOf<schedule::StayStep>(trace) != nullptr ? 1 : 0);
    if (r + 1 < program.regions.size()) {
      const auto* room = schedule::StepOf<schedule::RoomStep>(trace);
      add(Kind::kRoom, room != nullptr ? room->eighths : 0);
    }
    if (plan.residency.choices[r].taps) {
      const auto* taps = schedule::StepOf<schedule::TapsStep>(trace);
      add(Kind::kTaps, taps != nullptr ? taps->axes : 0);
    }
  }
  return space;
}

network::Chain NetworkSpace::ChainOf(const std::vector<Choice>& picks, size_t region) const {
  for (size_t k = 0; k < picks.size(); ++k) {
    if (places_[k].kind != Kind::kTurns || picks[k].words.empty()) continue;
    const size_t first = places_[k].region,
                 last = first + static_cast<size_t>(TurnsOf(picks[k]).layers) - 1;
    if (first <= region && region <= last) return {first, last};
  }
  return {region, region};
}

std::vector<Choice> NetworkSpace::Domain(const std::vector<Choice>& picks) {
  const auto [region, kind] = places_[picks.size()];
  const network::Chain chain = ChainOf(picks, region);
  std::vector<Choice> values{Choice(0)};
  switch (kind) {
    case Kind::kTurns:
      if (chain.first != chain.last) break;
      for (int64_t layers = 2, most = kMostBlocks; layers <= kMostLayers; ++layers) {
        const auto& link = choices_[region + static_cast<size_t>(layers) - 2];
        if (!link.turns) break;
        most = std::min(most, link.blocks - 1);  // that all layers so far may take apart
        for (const int64_t most_rows : kRows) {
          const int64_t rows = std::min(most_rows, choices_[region].rows);
          for (const int64_t spare : kSpare) {
            values.push_back(TurnsChoice({layers, rows, spare}));
            for (int64_t blocks = 1; blocks <= most; ++blocks)
              values.push_back(TurnsChoice({layers, rows, spare, blocks}));
          }
          if (rows == choices_[region].rows) break;
        }
        if (link.summed) most = 0;
      }
      break;
    case Kind::kStay:
      if (region == chain.last) values.emplace_back(1);
      break;
    case Kind::kRoom:
      if (chain.first != chain.last) break;
      for (int64_t eighths = 1; eighths <= kMostEighths; ++eighths) values.emplace_back(eighths);
      break;
    case Kind::kTaps:
      for (int64_t axes = 1; axes <= 3; ++axes) values.emplace_back(axes);
      break;
  }
  return values;
}

std::vector<schedule::NetworkTrace> NetworkSpace::TracesOf(const Point& point) const {
  std::vector<schedule::NetworkTrace> traces(program_.regions.size());
  for (size_t k = 0; k < places_.size(); ++k) {
    const Choice& pick = point.picks[k];
    if (pick == Choice(0)) continue;
    schedule::NetworkTrace& trace = traces[places_[k].region];
    switch (places_[k].kind) {
      case Kind::kTurns:
        trace.emplace_back(TurnsOf(pick));
        break;
      case Kind::kStay:
        trace.emplace_back(schedule::StayStep{});
        break;
      case Kind::kRoom:
        trace.emplace_back(schedule::RoomStep{pick.number});
        break;
      case Kind::kTaps:
        trace.emplace_back(schedule::TapsStep{pick.number});
        break;
    }
  }
  return traces;
}

void NetworkSpace::Put(const Point& point, compiler::PlannedProgram* program) const {
  std::vector<schedule::NetworkTrace> traces = TracesOf(point);
  for (size_t r = 0; r < traces.size(); ++r) program->regions[r].network = std::move(traces[r]);
}

bool NetworkSpace::IsLegal(const Point& point) {
  Put(point, &program_);
  return network::PlanProgram(program_.activations, program_.regions, config_).has_value();
}

}  // namespace tessera::tune
