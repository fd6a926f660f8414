// SPDX-License-Identifier: Apache-2.0
//
// The host's side of a packing as loop IR, for the host's code generator: a row-major tensor into
// the machine's layout and back. Depends on: compiler/ir, isa/packing.h. Used by: the compile tool.
#ifndef TESSERA_COMPILER_LOWER_ACCEL_HOST_PACK_H_
#define TESSERA_COMPILER_LOWER_ACCEL_HOST_PACK_H_

#include <string>

#include "compiler/ir/ir.h"
#include "isa/packing.h"

namespace tessera::lower::accel {

// Parameters: the tensor, int8 [batch, channel, y, x] row-major; the packed bytes, int8
// [batches, blocks, y, x, rows, block] row-major. Means what isa::Pack means. |order|, if not
// empty: dimension k of the parameter is dimension order[k] of [batch, channel, y, x] ({0, 2, 3,
// 1}: NHWC).
ir::Func PackFunc(const isa::Packing& packing, const std::string& name,
                  const std::vector<int>& order = {});

// Parameters: the packed bytes; the tensor. Means what isa::Unpack means; |packing| must be
// plain().
ir::Func UnpackFunc(const isa::Packing& packing, const std::string& name);

// A plain packing as the layout of a tensor of |rank| dimensions (1 to 4, schedule/accel/region.h
// says which of batch, channel, y, x they are), its physical dimensions in this order, without
// gaps.
ir::Layout LayoutOf(const isa::Packing& packing, size_t rank);

}  // namespace tessera::lower::accel

#endif  // TESSERA_COMPILER_LOWER_ACCEL_HOST_PACK_H_
