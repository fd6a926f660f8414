// SPDX-License-Identifier: Apache-2.0
//
// CheckProgram: what is wrong with a program image before it runs: decoding, bounds, tokens,
// deadlock, races, reads of what nothing wrote. Depends on: isa, isa/semantics. Used by: the
// compiler on all that it emits, `tessera check`, tests.
#ifndef TESSERA_ISA_CHECK_CHECK_H_
#define TESSERA_ISA_CHECK_CHECK_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/check/walk.h"
#include "isa/config.h"
#include "isa/image.h"
#include "isa/semantics/diagnosis.h"

namespace tessera::isa {

enum class Finding : uint8_t {
  kDecode,     // an opcode, bit or field without a meaning
  kFinish,     // no FINISH, or instructions after it
  kBounds,     // a tile past its scratchpad, a byte past its segment
  kDeadlock,   // units wait for each other, or for a token that nothing gives
  kRace,       // two units touch one address, one of them writes, no token path orders them
  kUnwritten,  // a read of what neither the image nor an instruction before it wrote
  kLeftover,   // tokens that nothing takes (profile vta: a warning)
  kWork,       // loops too long to follow, or micro-ops that are not known before the run
};

// "race" for kRace.
std::string_view Text(Finding finding);

struct Diagnostic {
  Finding finding = Finding::kDecode;
  bool warning = false;         // the program may still be right
  std::vector<uint32_t> insns;  // numbers of the instructions it is about, the later one last
  std::string text;             // one line: numbers, assembly, source operators, what, and a hint
  std::optional<Diagnosis> diagnosis;  // of a deadlock, a race or bounds
};

struct CheckReport {
  std::vector<Diagnostic> diagnostics;  // in the order found; at most CheckOptions::max_diagnostics
  bool ok() const;                      // no diagnostic that is not a warning
  std::string ToString() const;         // a line each; "" if there is none
};

struct CheckOptions {
  size_t max_diagnostics = 20;
  uint64_t max_steps = uint64_t{1} << 27;  // tile steps of all loops together
  // Told of everything that instruction |insn| touches, after all that happens before it.
  std::function<void(uint32_t insn, const Touch& touch)> on_touch;
};

// Follows the program in token order, without computing. Scratchpads are followed tile by tile and
// segments exactly, whatever their boxes look like. Queue and token depths count: what is accepted
// cannot deadlock on a machine of |config|. Ordering by a full queue or counter is not relied upon.
//
// Initial contents: a segment's data; all of the input segment (tessera), all segments (vta, which
// addresses memory absolutely). Micro-ops must come from data that the program does not overwrite.
CheckReport CheckProgram(const ProgramImage& image, const Config& config,
                         const CheckOptions& options = {});

// The same as one Status, for pipelines: kInvalidArgument with the first diagnostic that is no
// warning.
Status RequireChecked(const ProgramImage& image, const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_CHECK_CHECK_H_
