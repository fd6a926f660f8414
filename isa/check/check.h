// SPDX-License-Identifier: Apache-2.0
//
// CheckProgram finds errors in a program image before it runs: decoding, bounds, tokens, deadlock,
// races, reads of addresses that nothing wrote. Depends on: isa, isa/semantics. Used by: the
// compiler on every program it emits, `tessera check`, tests.
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
  kDeadlock,   // units wait for each other, or for a token that no instruction pushes
  kRace,       // two units touch one address, one of them writes, and no tokens order them
  kUnwritten,  // a read of an address that neither the image nor an earlier instruction wrote
  kLeftover,   // tokens that no instruction pops (profile vta: a warning)
  kWork,       // loops too long to follow, or micro-ops that are unknown before the run
};

// "race" for kRace.
std::string_view Text(Finding finding);

struct Diagnostic {
  Finding finding = Finding::kDecode;
  bool warning = false;         // the program may still be right
  std::vector<uint32_t> insns;  // numbers of the instructions concerned, the later one last
  std::string text;             // one line: numbers, assembly, source operators, finding, a hint
  std::optional<Diagnosis> diagnosis;  // for a deadlock, a race or bounds
};

struct CheckReport {
  std::vector<Diagnostic> diagnostics;  // in the order found; at most CheckOptions::max_diagnostics
  bool ok() const;                      // warnings at most
  std::string ToString() const;         // one line for each; "" without diagnostics
};

struct CheckOptions {
  size_t max_diagnostics = 20;
  uint64_t max_steps = uint64_t{1} << 27;  // tile steps of all loops together
  // Receives each touch of instruction |insn|, after those of all instructions ordered before it.
  std::function<void(uint32_t insn, const Touch& touch)> on_touch;
};

// Follows the program in token order, without computing. Checks scratchpads tile by tile and
// segments exactly, whatever the shape of their boxes. Uses the queue and token depths of |config|:
// a program without findings cannot deadlock on a machine of |config|. A full queue or counter does
// not count as ordering.
//
// Initial contents: a segment's data; all of the input segment (tessera), all segments (vta, which
// addresses memory absolutely). Micro-ops must come from data that the program does not overwrite.
CheckReport CheckProgram(const ProgramImage& image, const Config& config,
                         const CheckOptions& options = {});

// CheckProgram as one Status, for programs that the caller made: with any number of steps.
//   errors  kInvalidArgument  the first diagnostic that is not a warning
Status RequireChecked(const ProgramImage& image, const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_CHECK_CHECK_H_
