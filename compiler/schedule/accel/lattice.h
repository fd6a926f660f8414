// SPDX-License-Identifier: Apache-2.0
//
// Lattice: the place of a tensor that lies in another one in device memory. Depends on: base. Used
// by: compiler/network, which decides what lies where, compiler/driver.
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_LATTICE_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_LATTICE_H_

#include <cstdint>
#include <vector>

#include "compiler/schedule/accel/packing.h"

namespace tessera::schedule::accel {

// Index k of a dimension of the part's packing is index begin + k * step of the same dimension of
// the whole's packing, for k in [0, count).
struct LatticeDim {
  int64_t begin = 0, step = 1, count = 1;
  bool operator==(const LatticeDim&) const = default;
};
using Lattice = std::vector<LatticeDim>;  // by physical dimension

// All of |packing|.
Lattice WholeOf(const Packing& packing);
// The piece |inner| of a tensor that is the piece |outer| of a whole, in that whole.
Lattice Within(const Lattice& inner, const Lattice& outer);
// Elements, with those of padding, of a piece; those that two pieces of one whole share.
int64_t SizeOf(const Lattice& piece);
int64_t SharedBy(const Lattice& a, const Lattice& b);
// Bytes of |whole| in front of the piece.
int64_t OffsetIn(const Lattice& piece, const Packing& whole);
// The packing of a part of shape |part| that is |piece| of |whole|, from its first byte on: with
// strides if there are gaps between its elements. So many neighbouring |columns| of the piece are
// channels of a column of the part, one behind the other: each has whole blocks, or all of them
// are one block of the part.
Packing PackingIn(const Packing& part, const Lattice& piece, const Packing& whole,
                  int64_t columns = 1);

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_LATTICE_H_
