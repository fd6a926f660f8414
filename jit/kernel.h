// SPDX-License-Identifier: Apache-2.0
//
// Micro-op kernels: lists of micro-ops relative to a base, with equal lists kept once, and their
// places in the UOP scratchpad. Depends on: isa. Used by: jit/program_builder.
//
// A Gemm's base fields place a kernel, so one kernel serves every tile of work of its shape. A new
// kernel in the scratchpad replaces the kernels used longest ago.
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

// Equal lists of micro-ops, kept once; their bytes are the image's segment kUops.
class KernelTable {
 public:
  // The number of the kernel equal to |uops| (not empty); makes a new one if there is none.
  //   errors  kOutOfRange  a field does not fit a micro-op (EncodeUop's)
  Result<int> Intern(std::span<const isa::Uop> uops);

  std::span<const isa::Uop> uops(int kernel) const {
    return kernels_[static_cast<size_t>(kernel)].uops;
  }
  // Byte offset of the kernel's first micro-op in data().
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

// The places of kernels in the UOP scratchpad.
class KernelResidency {
 public:
  // |depth| micro-ops in all.
  explicit KernelResidency(int64_t depth) : depth_(depth) {}

  struct KernelSlot {
    int64_t begin = 0;  // the place of its first micro-op
    bool load = false;  // not resident yet: first load it to begin .. begin + count - 1
    bool fresh =
        false;  // no kernel was at this place before: the load may come at any earlier time
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
  int64_t touched_ = 0;                       // no kernel was ever at this place or beyond
  std::map<int64_t, ResidentKernel> places_;  // by begin
  std::map<int, int64_t> begin_of_;           // kernel -> begin
};

}  // namespace tessera::jit

#endif  // TESSERA_JIT_KERNEL_H_
