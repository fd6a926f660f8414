// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/host_form.h"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/region/float_requant.h"
#include "compiler/region/shift_bounds.h"
#include "compiler/schedule/host.h"
#include "compiler/te/product_form.h"
#include "compiler/te/sum_start.h"

namespace tessera::network {
namespace {

// |region| with |form| of its contraction.
te::RegionTe With(te::RegionTe region, const te::ProductForm& form) {
  region.output = form.output;
  if (!form.correction) return region;
  for (const te::Binding& binding : region.bindings) {
    if (!(binding.placeholder == form.weights) || binding.activation >= 0) continue;
    // Where only costs are asked, the weights' bytes may not be there.
    std::vector<int32_t> correction;
    if (!binding.constant.empty()) correction = te::CorrectionOf(form, binding.constant);
    const auto* bytes = reinterpret_cast<const uint8_t*>(correction.data());
    region.bindings.push_back(
        {form.correction, -1, {bytes, bytes + correction.size() * sizeof(int32_t)}});
    break;
  }
  return region;
}

// Whether the weights that |form| reads are constants of |region|.
bool KnowsWeights(const te::RegionTe& region, const te::ProductForm& form) {
  return std::ranges::any_of(region.bindings, [&](const te::Binding& b) {
    return b.placeholder == form.weights && b.activation < 0;
  });
}

// Sums that start at the constants added to them save an addition for each element; a start other
// than 0 costs nothing.
te::RegionTe WithStarts(te::RegionTe region) {
  std::set<const te::TensorNode*> constants;
  for (const te::Binding& binding : region.bindings) {
    if (binding.activation < 0) constants.insert(binding.placeholder.get());
  }
  region.output = te::WithSumStarts(region.output, constants);
  return region;
}

te::RegionTe WithFloats(const te::RegionTe& given, te::FloatScales* known = nullptr) {
  return te::WithFloatRequant(te::WithShiftBounds(given), known);
}

}  // namespace

std::vector<te::RegionTe> HostForms(const te::RegionTe& given, const target::Target& host) {
  const te::RegionTe plain = WithFloats(given);
  std::vector<te::RegionTe> forms;
  std::optional<double> least;
  for (const schedule::HostFactor& factor : schedule::HostFactors(host)) {
    if (least && factor.cycles > 1.25 * *least) break;
    const auto form = te::ToProducts(plain.output, factor.type, factor.channelwise);
    if (!form || !KnowsWeights(plain, *form)) continue;
    if (!least) least = factor.cycles;
    forms.push_back(WithStarts(With(plain, *form)));
  }
  forms.push_back(WithStarts(plain));
  return forms;
}

te::RegionTe ForHost(const te::RegionTe& given, const target::Target& host,
                     const schedule::Trace* trace, te::FloatScales* known) {
  te::RegionTe region = WithFloats(given, known);
  for (const schedule::HostFactor& factor : schedule::HostFactors(host)) {
    const auto form = te::ToProducts(region.output, factor.type, factor.channelwise);
    if (!form || !KnowsWeights(region, *form)) continue;
    if (trace != nullptr && !schedule::Names(*trace, form->products.name())) continue;
    region = With(std::move(region), *form);
    break;
  }
  return WithStarts(std::move(region));
}

}  // namespace tessera::network
