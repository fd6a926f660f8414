// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/schedule/editor.h"

namespace tessera::schedule {

Status Apply(const ReorderStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.FindCompute(step.stage));
  std::vector<int> places;
  std::vector<LoopAxis> moved;
  std::vector<std::string> axes;
  for (const std::string& word : step.axes) {
    std::vector<std::string> picked{word};
    if (word.starts_with('$')) {
      TESSERA_ASSIGN(picked, editor.Words(word.substr(1), DomainKind::kOrders));
    }
    axes.insert(axes.end(), picked.begin(), picked.end());
  }
  for (const std::string& axis : axes) {
    TESSERA_ASSIGN(const int at, editor.FindLeaf(*stage, axis));
    if (std::ranges::find(places, at) != places.end())
      return Fail(Code::kInvalidArgument, "loop '{}' is named twice", axis);
    places.push_back(at);
    moved.push_back(stage->leaves[at]);
  }
  std::ranges::sort(places);
  for (size_t i = 0; i < places.size(); ++i) stage->leaves[places[i]] = moved[i];
  return {};
}

}  // namespace tessera::schedule
