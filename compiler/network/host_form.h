// SPDX-License-Identifier: Apache-2.0
//
// Regions in the form that the host's schedules take. Depends on: compiler/region,
// compiler/schedule. Used by: layers.h, compiler/driver, compiler/tune.
#ifndef TESSERA_COMPILER_NETWORK_HOST_FORM_H_
#define TESSERA_COMPILER_NETWORK_HOST_FORM_H_

#include "compiler/region/region.h"
#include "compiler/schedule/step.h"

namespace tessera::network {

// |region| in the form that the host's schedules take: requantisation by floats, sums that start at
// the constants added to them, and dot products (te/unsigned.h) if the region has a form for them
// and |trace| names its stage of products (null: always).
te::RegionTe ForHost(const te::RegionTe& region, const schedule::Trace* trace = nullptr);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_HOST_FORM_H_
