// SPDX-License-Identifier: Apache-2.0
//
// What `tessera explore` prints: the space, a line while it works, the front. Depends on: explore.
// Used by: explore.cc.
#ifndef TESSERA_TOOLS_EXPLORE_TEXT_H_
#define TESSERA_TOOLS_EXPLORE_TEXT_H_

#include <string>
#include <vector>

#include "explore/search.h"
#include "explore/sensitivity.h"

namespace tessera::tools {

// How many machines there are, and why the others cannot be or do not fit.
std::string SpaceText(const explore::Explored& explored);

// "420 predicted, 36 ran, 0 failed, 7 on the front, 512 machines a minute, ends in 40 s at most".
std::string ExploreLineText(const explore::ExploreProgress& progress,
                            const explore::ExploreOptions& options);

// Machines a minute of each stage on one core.
std::string RatesText(const explore::ExploreProgress& progress);

// The machines of the front and those beside the space, each with the stage of its figures.
std::string FrontText(const explore::Explored& explored);

// How far the predicted cycles of the machines that ran are off: of all, and of the front.
std::string ErrorsText(const explore::Explored& explored);

// The hypervolume, and up to where it is taken.
std::string VolumeText(const explore::Explored& explored);

// |sensitivities| of |machine| as a table.
std::string SensitivityText(const std::vector<explore::Sensitivity>& sensitivities,
                            int64_t machine);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_EXPLORE_TEXT_H_
