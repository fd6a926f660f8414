// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/sketch.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tessera::schedule {

std::string SketchChoice::Among(std::vector<std::string> names) {
  TESSERA_CHECK(names_.empty() && index_ < names.size());
  names_ = std::move(names);
  return names_[index_];
}

Result<std::vector<Sketch>> SketchesBy(
    const te::Tensor& output, const std::function<Result<Schedule>(SketchChoice* choice)>& make) {
  std::vector<Sketch> made;
  std::vector<std::string> names{"plain"};
  for (size_t k = 0; k < names.size(); ++k) {
    SketchChoice choice(k);
    Result<Schedule> schedule = make(&choice);
    if (!schedule && k == 0) return std::unexpected(schedule.error());
    if (!choice.names().empty()) names = choice.names();
    if (schedule) made.push_back({names[k], output, schedule->trace()});
  }
  return made;
}

}  // namespace tessera::schedule
