// SPDX-License-Identifier: Apache-2.0
//
// InsnStream: the instructions of a run, decoded, with the counts of tokens that explain why one of
// them waits. Depends on: fetch.h. Used by: diagnosis.h and those who ask for a diagnosis.
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
  // Bytes of instruction |number|, insn_bytes() of them; false: there are none.
  using ReadInsn = std::function<bool(uint32_t number, std::span<uint8_t> bytes)>;
  // The operator that an instruction was made for, or "".
  using SourceOf = std::function<std::string_view(uint32_t number)>;

  // Reads up to |count| instructions, until FINISH or one that does not decode.
  InsnStream(const Fetcher& fetcher, const Config& config, uint32_t count, const ReadInsn& read,
             SourceOf source = {});

  uint32_t size() const { return static_cast<uint32_t>(insns_.size()); }
  auto begin() const { return insns_.begin(); }
  auto end() const { return insns_.end(); }
  const Fetched& operator[](uint32_t number) const { return insns_[number]; }
  // Of an instruction that no unit's queue takes.
  bool NoUnit(uint32_t number) const {
    return number < size() && insns_[number].finish && profile_ == Profile::kTessera;
  }
  int64_t queue_depth() const { return queue_depth_; }
  int64_t token_depth() const { return token_depth_; }

  // "instruction 7 (gemm uop_count=9 ...; conv1)"; "instruction 7" where it does not decode.
  std::string Name(uint32_t number) const;

  // Numbers of the instructions of |from| that push to |to|, and of those of |to| that pop it: the
  // k-th pop takes what the k-th push gave.
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
