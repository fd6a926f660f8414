// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a configuration on which the size of a module can depend.
//
// Depends on: isa. Used by: model.h.
#ifndef TESSERA_HW_PREDICT_TERMS_H_
#define TESSERA_HW_PREDICT_TERMS_H_

#include <array>
#include <cstdint>

#include "isa/config.h"

namespace tessera::hw {

enum Term : uint8_t {
  kOne,           // of every machine
  kLanes,         // batch x block
  kVectorLanes,   // of VECTOR: as many, or half
  kSecondPass,    // the same where they serve both halves of a tile, else 0
  kPassChannels,  // whose parameters VECTOR uses at a time
  kTabLanes,      // copies of TAB: a lane each, or none
  kChannels,      // block
  kDirectSums,    // the lanes, where the adder trees give the sums of all of them at once, else 0
  kArrayChoice,   // the weights of a pass, where they are chosen of a tile, else 0
  kMacs,          // batch x columns of the array x block
  kTile,          // block^2, the weights of a tile
  kTrees,         // batch x columns x log2 block: the adder trees' levels
  kBus,           // bytes of the bus
  kBusShift,      // bytes times their log2: shifters
  kUsed,          // bytes of a bus word that a tile has room for: the bus, or the largest tile
  kUsedShift,     // times the log2 of the bytes of the bus
  kBusDoubling,   // log2 of the bytes
  kInsnRest,      // bytes of an instruction that come after its first bus word
  kInsnChoice,    // log2 of the instructions of profile vta that a bus word holds
  kLaneDoubling,
  kMacDoubling,
  kVta,          // 1 where VTA's encoding fits
  kTokens,       // bits of a token counter
  kVtaTokens,    // of one that VTA has too, 0 where its encoding does not fit
  kQueue,        // log2 of the places of VECTOR's queue
  kOtherQueues,  // of the other queues
  kBox,          // bits that say a box of LOAD or STORE
  kIndex,        // bits of an index into any scratchpad, and so on
  kUopIndex,
  kWgtIndex,
  kInpIndex,
  kAccIndex,
  kOutIndex,
  kRecord,     // bits of a PRM record in LUT RAM
  kRecordRam,  // the same times its depth / 32, which a LUT RAM has at least
  kRecordMux,  // times its depth / 64 - 1

  kWindows,         // 1 where the machine has DEPTHWISE; 0 where it has not, as those below
  kWindowLanes,     // batch x block
  kWindowChannels,  // block
  kWindowMacs,      // batch x columns x the taps that an array pass takes
  kWindowIndex,     // bits of an index into any scratchpad
  kWindowIndices,   // of those into INP, ACC and WGT, in sum
  kTerms
};

using TermValues = std::array<double, kTerms>;

// |config| is legal.
TermValues TermsOf(const isa::Config& config);

}  // namespace tessera::hw

#endif  // TESSERA_HW_PREDICT_TERMS_H_
