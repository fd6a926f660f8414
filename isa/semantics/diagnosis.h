// SPDX-License-Identifier: Apache-2.0
//
// Diagnosis: why a program stops, or may give another result each time. It has the class, the
// instruction that waits and what it waits for, the unit that should have given it, and the usual
// cause. The checker, every simulator and boards take their words from here. docs/diagnosis.md
// shows each class with a program. Depends on: standing.h, stream.h. Used by: isa/check,
// runtime/device, sim, tools.
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
  kTooFewCredits,  // a ring of units that worked until now: it needs one more token in advance, or
                   // more room in a counter
  kCyclicWait,     // a ring of units that never worked: each waits for the next
  kQueueOverflow,  // a full queue or counter keeps back the instruction that would empty it
  kRace,           // two units touch one address and no tokens order them
  kBusSilent,      // device memory does not answer
  kErrorResponse,  // device memory answers with an error
  kBounds,      // the program itself is wrong: a tile past its scratchpad, a byte past its segment
  kUnfinished,  // none of these: perhaps the program only needs more cycles
};
// "lost token".
std::string_view Text(DiagnosisClass kind);
// "a pop without its push: ...".
std::string_view UsualCause(DiagnosisClass kind);

// One wait: |insn| of |unit| waits for what |giver| of |partner| would give. Units are numbered as
// in register ERROR: kUnits is fetch.
struct DiagnosisWait {
  uint32_t unit = 0;
  uint32_t insn = 0;
  uint32_t partner = 0;
  std::optional<uint32_t> giver;  // none: no instruction of the stream gives it
  bool room = false;              // waits for room, not for a token
  uint64_t nth = 0;    // the number of the token of the pair, or of the pop that makes room
  uint64_t given = 0;  // tokens that the stream pushes on the pair
  std::string text;    // "gemm's instruction 3 waits for its 2nd token from load, which ..."
};

struct Diagnosis {
  DiagnosisClass kind = DiagnosisClass::kUnfinished;
  // The wait that decides, or the ring with the lowest number first. For a race: its second
  // instruction, which should have popped a token of the first. For bounds: none.
  std::vector<DiagnosisWait> waits;
  std::string story;               // what follows from the waits; "" if there are none
  std::vector<std::string> units;  // what each unit does or waits for; fetch last

  // "lost token: gemm's instruction 3 waits for ...; usual cause: ...; load has nothing to do; ..."
  std::string Line() const;
};

// Why a machine in state |at| does not go on.
Diagnosis Diagnose(const InsnStream& stream, const MachineStanding& at);

// A race: two instructions that touch |address| of |space| while no tokens order them.
Diagnosis RaceBetween(const InsnStream& stream, uint32_t one, uint32_t other, Space space,
                      int64_t address);

// Instruction |insn| passes the end of a space; |what|: "reads inp tile 2050, which has 2048".
Diagnosis OutOfBounds(const InsnStream& stream, uint32_t insn, std::string_view what);

// "fetch" for kUnits.
std::string UnitName(uint32_t unit);

// The bases of the segments of a launch or of a machine's state.
template <typename Segments>
std::array<uint64_t, kSegments> BasesOf(const Segments& segments) {
  std::array<uint64_t, kSegments> bases{};
  for (size_t s = 0; s < bases.size(); ++s) bases[s] = segments[s].base;
  return bases;
}

// "bytes 0 to 64 of segment 3 at address 0x1000": what the instruction moves from or to device
// memory; "" if it moves nothing. |bases|: of the segments.
std::string SegmentBytes(const AnyInsn& insn, const Config& config,
                         const std::array<uint64_t, kSegments>& bases);

// The bus address of the first beat of |insn|, in the order of its requests, that lies outside a
// device memory of |memory_bytes| from address 0 on; nothing if all beats lie inside. For models
// that hold memory as an array; a model with a bus sees the answer.
std::optional<uint64_t> FirstBeatOutside(const AnyInsn& insn, const Config& config,
                                         const std::array<uint64_t, kSegments>& bases,
                                         uint64_t memory_bytes);

// "load: instruction 7 (...): sram_range: <reason>". |refused|, for a bus error: the bus address of
// the beat that got the error response, if known.
Error StoppedAt(std::string_view unit, std::string_view instruction, MachineError error,
                std::string_view reason, std::optional<uint64_t> refused = {});

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_DIAGNOSIS_H_
