// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/host_form.h"

#include <set>

#include "compiler/region/float_requant.h"
#include "compiler/region/shift_bounds.h"
#include "compiler/schedule/host.h"
#include "compiler/te/sum_start.h"
#include "compiler/te/unsigned.h"

namespace tessera::network {
namespace {

// |region| with dot products, if its contraction has a form for them.
te::RegionTe WithDots(te::RegionTe region, const schedule::Trace* trace) {
  const std::optional<te::UnsignedForm> form =
      te::ToUnsigned(region.output, schedule::HostDotChannels());
  if (!form || (trace != nullptr && !schedule::Names(*trace, form->products.name()))) return region;
  for (const te::Binding& binding : region.bindings) {
    if (!(binding.placeholder == form->weights) || binding.activation >= 0) continue;
    const std::vector<int32_t> correction = te::CorrectionOf(*form, binding.constant);
    const auto* bytes = reinterpret_cast<const uint8_t*>(correction.data());
    region.bindings.push_back(
        {form->correction, -1, {bytes, bytes + correction.size() * sizeof(int32_t)}});
    region.output = form->output;
    break;
  }
  return region;
}

}  // namespace

// Sums that start at the constants added to them save an addition for each element; a start other
// than 0 costs nothing.
te::RegionTe ForHost(const te::RegionTe& given, const schedule::Trace* trace) {
  te::RegionTe region = WithDots(te::WithFloatRequant(te::WithShiftBounds(given)), trace);
  std::set<const te::TensorNode*> constants;
  for (const te::Binding& binding : region.bindings) {
    if (binding.activation < 0) constants.insert(binding.placeholder.get());
  }
  region.output = te::WithSumStarts(region.output, constants);
  return region;
}

}  // namespace tessera::network
