// SPDX-License-Identifier: Apache-2.0
//
// What fetch makes of an encoded instruction: the decoded form, the unit whose queue takes it, and
// its tokens. One form for both profiles. Depends on: encoding. Used by: sim/func, the checker, the
// trace comparer.
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

// In profile vta Unit::kGemm stands for COMPUTE: its queue, its tokens, its trace. LOAD and STORE
// stand for themselves.
struct Fetched {
  AnyInsn insn;
  Unit unit = Unit::kLoad;  // kLoad for FINISH in profile tessera, although no unit takes it
  uint8_t pop = 0;          // mask over enum Unit: takes one token from each
  uint8_t push = 0;         // gives one token to each
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
  //            machine reports these errors for unit "fetch"
  Stop Fetch(std::span<const uint8_t> bytes, Fetched* fetched) const;

 private:
  Fetcher(Profile profile, const Config& config) : profile_(profile), config_(config) {}
  Profile profile_;
  Config config_;
  std::optional<VtaCodec> vta_;
};

// Sets the unit and tokens of a decoded instruction; errors as Fetcher::Fetch.
Stop Route(const AnyInsn& insn, Fetched* fetched);

// CheckFields for both profiles.
Stop CheckFields(const AnyInsn& insn, const Config& config);

// One line of assembly for messages: "gemm push=vector uop_count=9 ...".
std::string Describe(const AnyInsn& insn);

// Bytes that the instruction reads from and writes to device memory.
struct Traffic {
  uint64_t read = 0, written = 0;
};
Traffic TrafficOf(const AnyInsn& insn, const Config& config);

// Tile steps of the instruction: the unit of a step budget. Fits in 64 bits for every value of the
// fields.
int64_t Steps(const AnyInsn& insn);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_FETCH_H_
