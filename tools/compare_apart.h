// SPDX-License-Identifier: Apache-2.0
//
// Compares two results of a layer value by value: equal, or as far apart as the layers' algorithms
// state. Depends on: runtime/tensor, runtime/artifact. Used by: compare.
#ifndef TESSERA_TOOLS_COMPARE_APART_H_
#define TESSERA_TOOLS_COMPARE_APART_H_

#include <cstdint>
#include <vector>

#include "runtime/artifact/artifact.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tools {

// Whether |net| was compiled with --floats fast.
bool HasFastFloats(const artifact::Artifact& net);

// By layer of |net|, and last for its outputs: how far values may be apart, as a share of the
// greatest value of the tensor. That is the sum of the stated errors of the layers up to there.
// Empty: no layer states one, and all values have to be equal.
std::vector<double> AllowedApart(const artifact::Artifact& net);

// What comparisons found.
struct Apart {
  int64_t within = 0;   // values that differ by no more than was allowed
  double greatest = 0;  // of their differences, as a share of the greatest value of the tensor

  // Compares |b| with |a|; returns how many values differ by more than |allowed| of the greatest
  // value of |a|. Integers have to be equal, as all values have with 0.
  int64_t Add(const HostTensor& a, const HostTensor& b, double allowed);
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPARE_APART_H_
