// SPDX-License-Identifier: Apache-2.0
//
// InsnStream: the decoded instructions of a run, with the pushes and pops of tokens that explain
// why an instruction waits. Depends on: fetch.h. Used by: diagnosis.h and its callers.
#ifndef TESSERA_ISA_SEMANTICS_STREAM_H_
#define TESSERA_ISA_SEMANTICS_STREAM_H_

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/semantics/fetch.h"

namespace tessera::isa {

class InsnStream {
 public:
  // Reads the insn_bytes() bytes of instruction |number|; false if there is no such instruction.
  using ReadInsn = std::function<bool(uint32_t number, std::span<uint8_t> bytes)>;
  // The operator that an instruction implements, or "".
  using SourceOf = std::function<std::string_view(uint32_t number)>;

  // Reads up to |count| instructions; stops at FINISH or at an instruction that does not decode.
  InsnStream(const Fetcher& fetcher, const Config& config, uint32_t count, const ReadInsn& read,
             SourceOf source = {});

  uint32_t size() const { return static_cast<uint32_t>(insns_.size()); }
  auto begin() const { return insns_.begin(); }
  auto end() const { return insns_.end(); }
  const Fetched& operator[](uint32_t number) const { return insns_[number]; }
  // True for an instruction that no unit's queue takes: FINISH of profile tessera.
  bool NoUnit(uint32_t number) const {
    return number < size() && insns_[number].finish && profile_ == Profile::kTessera;
  }
  int64_t queue_depth() const { return queue_depth_; }
  int64_t token_depth() const { return token_depth_; }

  // "instruction 7 (gemm uop_count=9 ...; conv1)"; "instruction 7" if it does not decode.
  std::string Name(uint32_t number) const;

  // The numbers of the instructions of |from| that push to |to|, and of those of |to| that pop from
  // |from|: the k-th pop takes the token of the k-th push.
  const std::vector<uint32_t>& Pushes(int from, int to) const { return pushes_[from][to]; }
  const std::vector<uint32_t>& Pops(int from, int to) const { return pops_[from][to]; }

 private:
  using OfPairs = std::array<std::array<std::vector<uint32_t>, kUnits>, kUnits>;

  Profile profile_;
  int64_t queue_depth_, token_depth_;
  SourceOf source_;
  std::vector<Fetched> insns_;
  OfPairs pushes_, pops_;
};

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_STREAM_H_
