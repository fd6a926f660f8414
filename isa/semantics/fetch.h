// SPDX-License-Identifier: Apache-2.0
//
// What fetch makes of an encoded instruction: the decoded form, the unit whose queue takes it, the
// tokens it moves. One form for both profiles. Depends on: encoding. Used by: sim/func, the
// checker, the trace comparer.
#ifndef TESSERA_ISA_SEMANTICS_FETCH_H_
#define TESSERA_ISA_SEMANTICS_FETCH_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "isa/config.h"
#include "isa/insns.h"
#include "isa/semantics/stop.h"
#include "isa/vta_encoding.h"

namespace tessera::isa {

using AnyInsn = std::variant<Insn, VtaInsn>;

// In profile vta COMPUTE is Unit::kGemm: its queue, its tokens, its trace. LOAD and STORE keep
// theirs.
struct Fetched {
  AnyInsn insn;
  Unit unit = Unit::kLoad;  // of FINISH in profile tessera: none; says kLoad
  uint8_t pop = 0;          // mask over enum Unit: one token from each
  uint8_t push = 0;         // one token to each
  bool finish = false;
};

// Decodes the stream of one profile and configuration.
class Fetcher {
 public:
  //   errors  kUnsupported  profile vta cannot express |config|; the message names the field
  static Result<Fetcher> Make(Profile profile, const Config& config);

  Profile profile() const { return profile_; }
  int64_t insn_bytes() const { return profile_ == Profile::kVta ? kVtaInsnBytes : kInsnBytes; }
  const std::optional<VtaCodec>& vta() const { return vta_; }

  // Decodes one instruction of insn_bytes() bytes and checks its tokens (fields.h).
  //   returns  kIllegalOpcode or kIllegalField with the reason, or no error and |*fetched|; the
  //            machine reports these errors as of unit "fetch"
  Stop Fetch(std::span<const uint8_t> bytes, Fetched* fetched) const;

 private:
  explicit Fetcher(Profile profile) : profile_(profile) {}
  Profile profile_;
  std::optional<VtaCodec> vta_;
};

// Unit and tokens of an instruction that is already decoded; the errors are Fetcher::Fetch's.
Stop Route(const AnyInsn& insn, Fetched* fetched);

// CheckFields of either profile.
Stop CheckFields(const AnyInsn& insn, const Config& config);

// One line for messages: its assembly, "gemm push=vector uop_count=9 ...".
std::string Describe(const AnyInsn& insn);

// Bytes that the instruction moves from and to device memory.
struct Traffic {
  uint64_t read = 0, written = 0;
};
Traffic TrafficOf(const AnyInsn& insn, const Config& config);

// Tile steps that the instruction takes: what a step budget counts. Fits in 64 bits for every field
// value.
int64_t Steps(const AnyInsn& insn);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_FETCH_H_
