// SPDX-License-Identifier: Apache-2.0
//
// How the box of a load is cut into loads of parts of it. Depends on: isa. Used by: load_order.cc.
#ifndef TESSERA_JIT_BOX_CUT_H_
#define TESSERA_JIT_BOX_CUT_H_

#include <algorithm>
#include <cstdint>

#include "isa/access.h"
#include "isa/insns.h"

namespace tessera::jit {

// Cuts a box along its outermost loop: planes, rows or tiles. The parts are contiguous on chip.
class BoxCut {
 public:
  explicit BoxCut(const isa::Load& load) : load_(load) {
    const int64_t columns = load.x_pad_0 + load.x_size + load.x_pad_1;
    const int64_t rows = load.y_pad_0 + load.y_size + load.y_pad_1;
    if (load.z_size > 1) {
      loop_ = {&isa::Load::z_size, load.z_step, rows * columns};
    } else if (rows == load.y_size && rows > 1) {
      loop_ = {&isa::Load::y_size, load.y_step, columns};
    } else if (columns == load.x_size && columns > 1 && rows == std::max<int64_t>(load.y_size, 1)) {
      loop_ = {&isa::Load::x_size, load.x_step, 1};  // one row, of memory or of padding
    }
  }
  // How many parts the box has: 1 if it cannot be cut.
  int64_t count() const { return loop_.size == nullptr ? 1 : load_.*loop_.size; }
  isa::AddressRange OnChip(int64_t begin, int64_t end) const {
    return {load_.sram_base + begin * loop_.tiles, load_.sram_base + end * loop_.tiles};
  }
  isa::Load Part(int64_t begin, int64_t end) const {
    isa::Load part = load_;
    if (loop_.size == nullptr) return part;
    part.*loop_.size = end - begin;
    part.dram_base += begin * loop_.step;
    part.sram_base += begin * loop_.tiles;
    return part;
  }

 private:
  struct Loop {
    int64_t isa::Load::*size = nullptr;
    int64_t step = 0, tiles = 0;
  };
  isa::Load load_;
  Loop loop_;
};

}  // namespace tessera::jit

#endif  // TESSERA_JIT_BOX_CUT_H_
