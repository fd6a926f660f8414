// SPDX-License-Identifier: Apache-2.0
//
// Diagnosis: why a program does not go on, or may give another result each time: its class, which
// instruction waits for what, who should have given it, the usual cause. The one place that makes
// words of it: for the checker, every simulator and boards. docs/diagnosis.md has each class with a
// program. Depends on: standing.h, stream.h. Used by: isa/check, runtime/device, sim, tools.
#ifndef TESSERA_ISA_SEMANTICS_DIAGNOSIS_H_
#define TESSERA_ISA_SEMANTICS_DIAGNOSIS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/nest.h"
#include "isa/semantics/standing.h"
#include "isa/semantics/stop.h"
#include "isa/semantics/stream.h"

namespace tessera::isa {

enum class DiagnosisClass : uint8_t {
  kLostToken,      // a pop takes a token that no instruction pushes
  kTooFewCredits,  // a ring of units that worked until now: it needs a token more in advance, or
                   // more room in a counter
  kCyclicWait,     // a ring of units that never worked: each waits for the next
  kQueueOverflow,  // a full queue or counter keeps back what would empty it
  kRace,           // two units touch one address and no tokens order them
  kBusSilent,      // device memory does not answer
  kErrorResponse,  // device memory answers with an error
  kBounds,      // the program says so itself: a tile past its scratchpad, a byte past its segment
  kUnfinished,  // none of these: more cycles may be all that it needs
};
// "lost token".
std::string_view Text(DiagnosisClass kind);
// "a pop without its push: ...".
std::string_view UsualCause(DiagnosisClass kind);

// One wait: |insn| of |unit|, and what |giver| of |partner| would give it. Units as in register
// ERROR: kUnits is fetch.
struct DiagnosisWait {
  uint32_t unit = 0;
  uint32_t insn = 0;
  uint32_t partner = 0;
  std::optional<uint32_t> giver;  // none: nothing in the stream gives it
  bool room = false;              // waits for room, not for a token
  uint64_t nth = 0;               // which token of the pair; which pop makes room
  uint64_t given = 0;             // tokens that the stream pushes on the pair
  std::string text;  // "gemm's instruction 3 waits for its 2nd token from load, which ..."
};

struct Diagnosis {
  DiagnosisClass kind = DiagnosisClass::kUnfinished;
  // The wait that decides, or the ring, first the lowest number. A race: its second instruction,
  // which should have popped a token of the first. Bounds: none.
  std::vector<DiagnosisWait> waits;
  std::string story;               // what follows from them; "" if there are none
  std::vector<std::string> units;  // what each unit does or waits for; fetch last

  // "lost token: gemm's instruction 3 waits for ...; usual cause: ...; load has nothing to do; ..."
  std::string Line() const;
};

// Why a machine that stands |at| does not go on.
Diagnosis Diagnose(const InsnStream& stream, const MachineStanding& at);

// Two instructions that touch |address| of |space| while nothing orders them.
Diagnosis RaceBetween(const InsnStream& stream, uint32_t one, uint32_t other, Space space,
                      int64_t address);

// Instruction |insn| goes past an end; |what|: "reads inp tile 2050, which has 2048".
Diagnosis OutOfBounds(const InsnStream& stream, uint32_t insn, std::string_view what);

// "fetch" for kUnits.
std::string UnitName(uint32_t unit);

// Of the segments of a launch or of a machine's state.
template <typename Segments>
std::array<uint64_t, kSegments> BasesOf(const Segments& segments) {
  std::array<uint64_t, kSegments> bases{};
  for (size_t s = 0; s < bases.size(); ++s) bases[s] = segments[s].base;
  return bases;
}

// "bytes 0 to 64 of segment 3 at address 0x1000": what the instruction moves from or to device
// memory; "" if nothing. |bases|: of the segments.
std::string SegmentBytes(const AnyInsn& insn, const Config& config,
                         const std::array<uint64_t, kSegments>& bases);

// The bus address of the first beat of |insn|, in the order in which it asks for them, that is not
// inside device memory of |memory_bytes| from address 0 on; none: all are. For models that look at
// memory as an array; one with a bus has seen the answer.
std::optional<uint64_t> FirstBeatOutside(const AnyInsn& insn, const Config& config,
                                         const std::array<uint64_t, kSegments>& bases,
                                         uint64_t memory_bytes);

// "load: instruction 7 (...): sram_range: <reason>". |refused|: of a bus error, the bus address of
// the beat that was answered with an error, where somebody knows it.
Error StoppedAt(std::string_view unit, std::string_view instruction, MachineError error,
                std::string_view reason, std::optional<uint64_t> refused = {});

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_DIAGNOSIS_H_
