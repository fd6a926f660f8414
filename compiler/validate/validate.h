// SPDX-License-Identifier: Apache-2.0
//
// The translation check: does an emitted program compute what the loop IR of its regions says, for
// all inputs? Every tile of a scratchpad and every piece of device memory carries a symbol of its
// history (symbol.h). The program runs over symbols in an order that its tokens allow, the loop IR
// with room of its own for each buffer, and what they leave in device memory is compared. A read of
// a tile that was overwritten, or is not written yet, of another tensor, row or pass, gives another
// symbol. It shares no code with the emission (codegen/accel, jit) but the meaning of what both
// are given. isa/check proves that the order of instructions does not matter; this proves that
// they mean what they should. Depends on: compiler/network, isa. Used by: compiler/driver, tests.
#ifndef TESSERA_COMPILER_VALIDATE_VALIDATE_H_
#define TESSERA_COMPILER_VALIDATE_VALIDATE_H_

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "compiler/network/program.h"
#include "isa/config.h"
#include "isa/image.h"

namespace tessera::validate {

struct TranslationReport {
  int64_t instructions = 0;
  int64_t steps = 0;    // tiles that the program made
  int64_t results = 0;  // pieces of device memory that were compared
};

struct TranslationOptions {
  bool all = false;  // all tensors are read behind the program, not only its outputs
  // Two orders that tokens allow: LOAD as far ahead as it can be, and as far behind. With the
  // first alone a race (isa/check) may go unseen.
  bool both_orders = false;
};

// |image|, emitted for |plan| of |regions| with the tensors of plan.needs at |offsets| of an arena
// of |arena_bytes|.
//   errors  kDataLoss     the program computes something else: names the first instruction that
//                         does, what it reads, and what the loop IR reads there, if that is known
//           kDeadlock, kOutOfRange, kUnsupported  the program cannot be followed
Result<TranslationReport> CheckTranslation(const network::ProgramPlan& plan,
                                           const std::vector<network::AccelRegion>& regions,
                                           const isa::Config& config,
                                           const std::vector<int64_t>& offsets, int64_t arena_bytes,
                                           const isa::ProgramImage& image,
                                           const TranslationOptions& options = {});

}  // namespace tessera::validate

#endif  // TESSERA_COMPILER_VALIDATE_VALIDATE_H_
