// SPDX-License-Identifier: Apache-2.0
//
// The host's side of a packing, as loop IR for the host's code generator: packs a row-major tensor
// into the machine's layout and unpacks it. Depends on: compiler/ir,
// compiler/schedule/accel/packing.h. Used by: compiler/driver, tests.
#ifndef TESSERA_COMPILER_LOWER_ACCEL_HOST_PACK_H_
#define TESSERA_COMPILER_LOWER_ACCEL_HOST_PACK_H_

#include <string>

#include "compiler/ir/ir.h"
#include "compiler/schedule/accel/packing.h"

namespace tessera::lower::accel {

// Parameters: the tensor, int8 [batch, channel, y, x] row-major; the packed bytes. Computes
// schedule::accel::Pack; a prepared expression reads one int8 tensor. With |order|, dimension k of
// the parameter is dimension order[k] of [batch, channel, y, x] ({0, 2, 3, 1}: NHWC). With
// |layout|, that of [batch, channel, y, x], the parameter has the tensor there instead.
ir::Func PackFunc(const schedule::accel::Packing& packing, const std::string& name,
                  const std::vector<int>& order = {}, const Layout& layout = {});

// Parameters: the packed bytes; the tensor. Computes schedule::accel::Unpack; |packing| must be
// plain(). |layout|: of the tensor.
ir::Func UnpackFunc(const schedule::accel::Packing& packing, const std::string& name,
                    const Layout& layout = {});

// |layout| of [batch, channel, y, x], without the dimensions that a tensor of |rank| 1 to 4 lacks
// (schedule/accel/region.h defines them).
Layout LayoutForRank(const Layout& layout, size_t rank);

}  // namespace tessera::lower::accel

#endif  // TESSERA_COMPILER_LOWER_ACCEL_HOST_PACK_H_
