// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

namespace {

// A follower may read another follower, which is complete at the end of the loop that it follows.
// That loop must be the reader's loop or be inside it.
Status RequireFollowersInOrder(const Stage& stage, const Schedule& schedule) {
  const auto follows = [&](const Stage& s) {
    return s.attach == Attach::kAfter && s.at_stage == stage.name;
  };
  for (const Stage& reader : schedule.stages()) {
    if (!follows(reader)) continue;
    for (const Stage& read : schedule.stages()) {
      if (!follows(read) || !reader.Reads(read.name) ||
          stage.LeafIndex(read.at_axis) >= stage.LeafIndex(reader.at_axis)) {
        continue;
      }
      return Fail(Code::kInvalidArgument,
                  "{} follows loop {} of {} and reads {}, which follows loop {}: that stays the "
                  "same loop or one inside",
                  reader.name, reader.at_axis, stage.name, read.name, read.at_axis);
    }
  }
  return {};
}

}  // namespace

Status Apply(const ReorderStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  std::vector<int> places;
  std::vector<LoopAxis> moved;
  std::vector<std::string> axes;
  for (const std::string& word : step.axes) {
    if (word.starts_with('$')) {
      TESSERA_ASSIGN(const std::vector<std::string> picked,
                     editor.Words(word.substr(1), DomainKind::kOrders));
      axes.insert(axes.end(), picked.begin(), picked.end());
    } else {
      axes.push_back(word);
    }
  }
  places.reserve(axes.size());
  moved.reserve(axes.size());
  for (const std::string& axis : axes) {
    TESSERA_ASSIGN(const int at, editor.FindLeaf(*stage, axis));
    if (std::ranges::find(places, at) != places.end())
      return Fail(Code::kInvalidArgument, "loop '{}' is named twice", axis);
    places.push_back(at);
    moved.push_back(stage->leaves[at]);
  }
  std::ranges::sort(places);
  for (size_t i = 0; i < places.size(); ++i) stage->leaves[places[i]] = std::move(moved[i]);
  return RequireFollowersInOrder(*stage, editor.schedule());
}

}  // namespace tessera::schedule
