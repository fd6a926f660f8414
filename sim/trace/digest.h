// SPDX-License-Identifier: Apache-2.0
//
// The digest of an instruction in a trace: one 64-bit number for everything that the instruction
// changed. Depends on: isa/semantics/state.h. Used by: sim/func, sim/hls, sim/rig, the memory
// behind the RTL. The RTL computes the same numbers (tsr_digest in SystemVerilog).
//
// Definition. All arithmetic is modulo 2^64.
//   K(space, w)    = Mix64(space * 2^56 + w) | 1          w: address of an aligned 32-bit word / 4
//   H(space, a, v) = v * 2^(8 * (a mod 4)) * K(space, a / 4)
//   digest         = sum over every byte the instruction changed of
//                    H(space, address, new value) - H(space, address, value before the instruction)
// So each 32-bit word adds (new word - old word) * K, read little-endian. The writes of a byte that
// is written several times may be added in any order: the values between cancel.
//   Mix64(x):  x ^= x >> 30; x *= 0xbf58476d1ce4e5b9;
//              x ^= x >> 27; x *= 0x94d049bb133111eb; x ^= x >> 31
//
// Spaces and byte addresses (isa::ByteSpace):
//   1 uop, 2 wgt, 3 inp, 4 acc, 5 out, from 8 the memories of bytes behind PRM
//            tile index * tile bytes + byte in the tile
//   6 prm    record * record bytes (with the filling) + byte. The filling is not stored and never
//            counts. In byte 3 of a multiplier bit 7 is 0; a shift counts as the byte to which its
//            6 bits sign-extend
//   7 dram   the absolute device address
// Profile vta: micro-ops have 4 bytes; OUT is not a separate memory and counts nothing.
//
// Test vectors (hexadecimal; bytes in address order):
//   space  address    before            after             digest
//   4      0          00                01                947f189a016c6291
//   4      7          ff                00                7f43f81e67000000
//   3      1e         00000000          01020304          37b5131387451565
//   7      123456789  80007f            7fff80            ed75382f50955f00
//   1      8          0000000000000000  8877665544332211  38924aefebbda2b4
//   6      8f         01                ff                8a59925176000000
#ifndef TESSERA_SIM_TRACE_DIGEST_H_
#define TESSERA_SIM_TRACE_DIGEST_H_

#include <cstdint>

#include "base/hash.h"
#include "isa/semantics/state.h"

namespace tessera::sim {

constexpr uint64_t DigestKey(isa::ByteSpace space, uint64_t word) {
  return Mix64((static_cast<uint64_t>(space) << 56) + word) | 1;
}

// What the change of one byte adds to the digest.
constexpr uint64_t DigestByte(isa::ByteSpace space, uint64_t address, uint8_t before,
                              uint8_t after) {
  const uint64_t change = static_cast<uint64_t>(after) - before;
  return (change << (8 * (address % 4))) * DigestKey(space, address / 4);
}

// Adds up the changes that it is called with, as the |writes| of the semantics.
class DigestWrites {
 public:
  void operator()(isa::ByteSpace space, uint64_t address, const void* before, const void* after,
                  int64_t bytes) {
    const uint8_t* old_bytes = static_cast<const uint8_t*>(before);
    const uint8_t* new_bytes = static_cast<const uint8_t*>(after);
    for (int64_t i = 0; i < bytes; ++i)
      sum_ += DigestByte(space, address + i, old_bytes[i], new_bytes[i]);
  }

  // Returns the digest so far; the next one starts from zero.
  uint64_t Take() {
    const uint64_t sum = sum_;
    sum_ = 0;
    return sum;
  }

 private:
  uint64_t sum_ = 0;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_TRACE_DIGEST_H_
