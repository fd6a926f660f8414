// SPDX-License-Identifier: Apache-2.0
//
// Runs the convolutions of ResNet-18 with and without virtual threads, to show what keeps the array
// at work while it waits for data. Used by: schedules_doc.
#ifndef TESSERA_TOOLS_DOCS_SCHEDULE_LAYERS_H_
#define TESSERA_TOOLS_DOCS_SCHEDULE_LAYERS_H_

#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "runtime/device.h"
#include "tools/docs/schedule_examples.h"

namespace tessera::tools {

// The ways to run a layer, all with the same tiles of work.
inline constexpr std::array<compiler::Turns, 3> kLayerTurns{
    {{.threads = 1}, {.threads = 2}, {.threads = 1, .double_buffer = true}}};

struct LayerRuns {
  std::string name;
  compiler::WindowShape shape;
  int64_t macs = 0;  // of the layer itself, without channels that only fill up a tile
  compiler::WindowTiles tiles;
  std::array<RunReport, kLayerTurns.size()> reports;
};

// Every shape of convolution in ResNet-18 at 224x224, each once.
Result<std::vector<LayerRuns>> MeasureLayers(const isa::Config& config);

// A table in Markdown; a drawing of |config|'s array at work, in SVG.
std::string LayerTable(const std::vector<LayerRuns>& layers, const isa::Config& config);
std::string LayerPlot(const std::vector<LayerRuns>& layers, const isa::Config& config);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_DOCS_SCHEDULE_LAYERS_H_
