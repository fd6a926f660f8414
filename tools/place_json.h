// SPDX-License-Identifier: Apache-2.0
//
// A placement as JSON. Depends on: compiler/driver, place_measure.h. Used by: place.cc.
#ifndef TESSERA_TOOLS_PLACE_JSON_H_
#define TESSERA_TOOLS_PLACE_JSON_H_

#include <optional>
#include <string>

#include "compiler/driver/placement.h"
#include "isa/config.h"
#include "tools/output.h"
#include "tools/place_measure.h"

namespace tessera::tools {

// {schema_version, results: [{kind: "placement", producer, metrics, entities, breakdowns}]}, as
// reports of Arm's MLIA are laid out: an entity is a layer with its placement, a breakdown has one
// entity's figures, in seconds unless its unit says otherwise. |measured|: of a run, if there was
// one.
Json PlacementJson(const compiler::PlacedNetwork& placed,
                   const std::optional<MeasuredPlacement>& measured, const std::string& model,
                   const isa::Config& config);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_PLACE_JSON_H_
