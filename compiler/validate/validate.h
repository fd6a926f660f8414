// SPDX-License-Identifier: Apache-2.0
//
// The translation check: does an emitted program compute what the loop IR of its regions says, for
// all inputs? Every tile of a scratchpad and every piece of device memory carries a symbol of its
// history (symbol.h). The program runs over symbols in an order that its tokens allow, the loop IR
// runs with separate memory for each buffer, and the contents of device memory are compared. A read
// of an overwritten or not yet written tile, or of another tensor, row or pass, gives another
// symbol. The check shares no code with the emission (codegen/accel, jit), only the meaning of the
// inputs. isa/check proves that the order of instructions does not matter; this check proves that
// their results are right. Depends on: compiler/network, isa. Used by: compiler/driver, tests.
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
  bool all = false;  // compare all tensors, not only the program's outputs
  // Run two orders that tokens allow: LOAD as far ahead as possible, and as far behind. The first
  // alone may miss a race (isa/check).
  bool both_orders = false;
};

// Checks |image|, emitted for |plan| of |regions| with the tensors of plan.needs at |offsets| of an
// arena of |arena_bytes|.
//   errors  kDataLoss     the program computes something else: names the first wrong instruction,
//                         what it reads, and what the loop IR reads there, if that is known
//           kDeadlock, kOutOfRange, kUnsupported  the program cannot be followed
Result<TranslationReport> CheckTranslation(const network::ProgramPlan& plan,
                                           const std::vector<lower::accel::AccelRegion>& regions,
                                           const isa::Config& config,
                                           const std::vector<int64_t>& offsets, int64_t arena_bytes,
                                           const isa::ProgramImage& image,
                                           const TranslationOptions& options = {});

}  // namespace tessera::validate

#endif  // TESSERA_COMPILER_VALIDATE_VALIDATE_H_
