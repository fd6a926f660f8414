// SPDX-License-Identifier: Apache-2.0
//
// Packing and unpacking of activations as loop IR, so that the host runs them as compiled kernels. The
// meaning is isa::Pack and isa::Unpack. Internal to compiler/driver.
#ifndef TESSERA_COMPILER_DRIVER_PACK_FUNC_H_
#define TESSERA_COMPILER_DRIVER_PACK_FUNC_H_

#include <string>

#include "compiler/ir/ir.h"
#include "isa/packing.h"

namespace tessera::compiler {

// NAME(tensor: i8 [elements], packed: i8 [bytes]): what isa::Pack does.
ir::Func PackFunc(const std::string& name, const isa::Packing& packing);

// NAME(packed, tensor): what isa::Unpack does; |packing| is plain.
ir::Func UnpackFunc(const std::string& name, const isa::Packing& packing);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_PACK_FUNC_H_
