// SPDX-License-Identifier: Apache-2.0
//
// A region as a host function: scheduled and lowered. Internal to compiler/driver.
//
// Activations between two regions of the host have their channels innermost, so that a vector of
// channels is one access. Tensors that the user, the accelerator or a view reads are row-major.
#ifndef TESSERA_COMPILER_DRIVER_HOST_FUNC_H_
#define TESSERA_COMPILER_DRIVER_HOST_FUNC_H_

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/layout.h"
#include "compiler/graph/fuse.h"
#include "compiler/ir/ir.h"
#include "compiler/region/region.h"
#include "compiler/schedule/network_step.h"
#include "compiler/schedule/rounding.h"
#include "compiler/schedule/sketch.h"
#include "compiler/target/host_level.h"

namespace tessera::compiler {

// Which algorithms host code may compute floats by.
enum class Floats : uint8_t {
  kExact,  // those whose results are the definition's
  kFast,   // any that the generator has (schedule/rounding.h), by the least estimate of its cost
};

// What the choice of an algorithm depends on beside the layer.
struct FloatChoice {
  Floats floats = Floats::kExact;
  double bytes_between = 0;  // cost::ProcessorUse: what other layers read between two runs
};

struct HostFunc {
  ir::Func func;
  // One for each parameter, and its buffer; the last is the region's output. Values known at
  // compile time are packed into the buffer's layout.
  std::vector<te::Binding> bindings;
  std::vector<ir::Buffer> buffers;
  schedule::Trace schedule;
  schedule::Rounding rounding = {};
};

// The layouts of a graph's tensors that are not row-major.
using HostLayouts = std::map<graph::TensorId, Layout>;

// For a plan that runs all of |regions| on the host: by region whether its result has its channels
// last, as a network trace (schedule::ChannelsLastStep); nothing: it is row-major in any case,
// because others than layers of the host read or make it, or it has not four dimensions.
std::vector<std::optional<schedule::NetworkTrace>> LayoutsOnHost(
    const graph::Graph& graph, const std::vector<graph::Region>& regions);

// The layout of a tensor that is not row-major.
Layout ChannelsLast();

// |trace|: the schedule; null: the generator makes one for |level|, null: for Host(), by |choice|.
// |layouts| replace its layouts of activations. It is a schedule of the form that network::ForHost
// gives it.
//   errors  kInvalidArgument  a trace that is not legal, or gives an activation another layout than
//                             ChannelsLast
Result<HostFunc> MakeHostFunc(const te::RegionTe& region, const std::string& name,
                              const HostLayouts& layouts, const schedule::Trace* trace = nullptr,
                              const target::HostLevel* level = nullptr,
                              const FloatChoice& choice = {});

// The sketches of |region|; the first is |own|, which MakeHostFunc made of it, if given. A region
// whose form has dot products has those of the region without them, too.
//   errors  those of MakeHostFunc
Result<std::vector<schedule::Sketch>> HostSketchesOf(const te::RegionTe& region,
                                                     const HostLayouts& layouts,
                                                     const target::HostLevel* level,
                                                     const schedule::Trace* own = nullptr);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_HOST_FUNC_H_
