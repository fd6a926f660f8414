// SPDX-License-Identifier: Apache-2.0
//
// Regions in the form that the host's schedules take. Depends on: compiler/region,
// compiler/schedule. Used by: layers.h, compiler/driver, compiler/tune.
#ifndef TESSERA_COMPILER_NETWORK_HOST_FORM_H_
#define TESSERA_COMPILER_NETWORK_HOST_FORM_H_

#include <vector>

#include "compiler/region/float_scale.h"
#include "compiler/region/region.h"
#include "compiler/schedule/step.h"
#include "compiler/target/target.h"

namespace tessera::network {

// |region| in the forms that the schedules of |host| take: requantisation by floats, sums that
// start at the constants added to them, and products of the factors that the host multiplies
// (te/product_form.h). The first is the one that |host| computes fastest. Forms whose products take
// a quarter more are left out; the last one has none of them.
std::vector<te::RegionTe> HostForms(const te::RegionTe& region, const target::Target& host);

// The first of them; with |trace|, the form for which it was made: the one whose stage of products
// |trace| names. |known|: the scales of earlier regions, to which those of |region| are added.
te::RegionTe ForHost(const te::RegionTe& region, const target::Target& host,
                     const schedule::Trace* trace = nullptr, te::FloatScales* known = nullptr);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_HOST_FORM_H_
