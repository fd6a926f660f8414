// SPDX-License-Identifier: Apache-2.0
//
// Programs taken apart and put together again otherwise: the instructions of an image without
// tokens, changed or in another order, and an image with the tokens that this order needs. Such a
// program is sound to the static checker, whatever it computes. Depends on: isa, jit/tokens.h.
#ifndef TESSERA_TESTS_COMPILER_VALIDATE_REWRITE_H_
#define TESSERA_TESTS_COMPILER_VALIDATE_REWRITE_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "isa/access.h"
#include "isa/config.h"
#include "isa/image.h"
#include "isa/insns.h"

namespace tessera::test {

struct BareInsn {
  isa::Insn insn;  // without tokens
  isa::Unit unit = isa::Unit::kLoad;
  std::vector<isa::Access> accesses;
  uint32_t layer = 0;
  std::string op;
};
using BareProgram = std::vector<BareInsn>;

// The instructions of |image|, but for FINISH.
BareProgram TakeApart(const isa::ProgramImage& image, const isa::Config& config);

// |program| with the segments of |image|. errors: those of InsertTokens and of encoding
Result<isa::ProgramImage> PutTogether(BareProgram program, const isa::ProgramImage& image,
                                      const isa::Config& config);

// What |a| and |b| both touch, one of them writing: in |space|, or anywhere.
bool Meet(const BareInsn& a, const BareInsn& b);
bool MeetIn(isa::Space space, const BareInsn& a, bool a_writes, const BareInsn& b, bool b_writes);

// |program| with instruction |later| in front of |before|, and with it all that it needs of those
// between the two. Nothing but the order of these and of |before| changes.
BareProgram MoveBefore(const BareProgram& program, size_t later, size_t before);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_VALIDATE_REWRITE_H_
