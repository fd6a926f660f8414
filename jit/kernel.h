// SPDX-License-Identifier: Apache-2.0
//
// Micro-op kernels: lists of micro-ops relative to a base, equal lists kept once, and where they
// stand in the UOP scratchpad. Depends on: isa. Used by: jit/program_builder.
//
// A Gemm's base fields place a kernel, so one kernel serves every tile of work of its shape. A
// kernel that is not resident takes the place of those used longest ago.
#ifndef TESSERA_JIT_KERNEL_H_
#define TESSERA_JIT_KERNEL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "isa/insns.h"

namespace tessera::jit {

// Equal lists of micro-ops, kept once; their bytes are the image's segment of micro-ops.
class KernelTable {
 public:
  // The number of the kernel equal to |uops| (not empty), a new one if there is none.
  //   errors  kOutOfRange  a field does not fit a micro-op (EncodeUop's)
  Result<int> Intern(std::span<const isa::Uop> uops);

  std::span<const isa::Uop> uops(int kernel) const {
    return kernels_[static_cast<size_t>(kernel)].uops;
  }
  // Byte offset of its first micro-op in data().
  int64_t offset(int kernel) const { return kernels_[static_cast<size_t>(kernel)].offset; }
  int size() const { return static_cast<int>(kernels_.size()); }
  const std::vector<uint8_t>& data() const { return data_; }

 private:
  struct UopKernel {
    std::vector<isa::Uop> uops;
    int64_t offset;
  };
  std::vector<UopKernel> kernels_;
  std::vector<uint8_t> data_;
  std::map<std::vector<uint64_t>, int> by_words_;  // encoded micro-ops -> number
};

// Which kernel stands where in the UOP scratchpad.
class KernelResidency {
 public:
  // |depth| micro-ops in all.
  explicit KernelResidency(int64_t depth) : depth_(depth) {}

  struct KernelSlot {
    int64_t begin = 0;   // its first micro-op's place
    bool load = false;   // it was not there: it must be loaded to begin .. begin + count - 1 first
    bool fresh = false;  // nothing was there before: the load may come at any earlier time
  };

  // Makes |kernel| of |count| micro-ops resident and the most recently used.
  //   errors  kOutOfRange  more micro-ops than the scratchpad holds
  Result<KernelSlot> Use(int kernel, int64_t count);

 private:
  std::optional<int64_t> FindGap(int64_t count) const;

  struct ResidentKernel {
    int kernel;
    int64_t end;
    uint64_t used;  // time of the last use
  };
  int64_t depth_;
  uint64_t time_ = 0;
  int64_t touched_ = 0;                       // no kernel ever stood here or beyond
  std::map<int64_t, ResidentKernel> places_;  // by begin
  std::map<int, int64_t> begin_of_;           // kernel -> begin
};

}  // namespace tessera::jit

#endif  // TESSERA_JIT_KERNEL_H_
