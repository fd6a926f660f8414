// SPDX-License-Identifier: Apache-2.0
//
// What the bodies of a schedule's stages read, found once. Private to compiler/lower and cost.
#ifndef TESSERA_COMPILER_LOWER_BODY_READS_H_
#define TESSERA_COMPILER_LOWER_BODY_READS_H_

#include <span>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// A read of an element of |of| in the body of |reader|.
struct BodyRead {
  const schedule::Stage* reader = nullptr;
  const schedule::Stage* of = nullptr;
  const ir::ExprNode* at = nullptr;  // of kind kTensorRead
};

// The reads of all stages that are not inlined.
class BodyReads {
 public:
  BodyReads() = default;
  explicit BodyReads(const schedule::Schedule& schedule);

  // The reads in the body of |stage|, in the order of ir::Visit.
  std::span<const BodyRead> By(const schedule::Stage& stage) const;
  // The reads of |stage|, by reader in the order of the stages.
  std::span<const BodyRead> Of(const schedule::Stage& stage) const;

 private:
  std::vector<BodyRead> by_, of_;  // sorted by the address of the reader, of what is read
};

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_BODY_READS_H_
