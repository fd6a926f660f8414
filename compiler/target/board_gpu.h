// SPDX-License-Identifier: Apache-2.0
//
// The target of the GPU beside a host, with the figures of isa/gpu.h. Depends on: target.h, isa.
// Used by: compiler/network, to compare devices; tests.
#ifndef TESSERA_COMPILER_TARGET_BOARD_GPU_H_
#define TESSERA_COMPILER_TARGET_BOARD_GPU_H_

#include <memory>

#include "compiler/target/target.h"
#include "isa/gpu.h"

namespace tessera::target {

// Cuda() or Gpu(), by the driver of |gpu|, which is not empty, with its figures.
std::shared_ptr<const Target> Gpu(const isa::Gpu& gpu);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_BOARD_GPU_H_
