// SPDX-License-Identifier: Apache-2.0
//
// The target of the processor beside an accelerator, with the figures of isa/cpu.h. Depends on:
// target.h, isa. Used by: compiler/network, to compare devices; tests.
#ifndef TESSERA_COMPILER_TARGET_BOARD_CPU_H_
#define TESSERA_COMPILER_TARGET_BOARD_CPU_H_

#include <memory>

#include "compiler/target/target.h"
#include "isa/cpu.h"

namespace tessera::target {

// Host() for the level, the cores, the caches and the memory of |cpu|, one of isa::NamedCpus or one
// that differs from it in what a board decides.
std::shared_ptr<const Target> Host(const isa::Cpu& cpu);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_BOARD_CPU_H_
