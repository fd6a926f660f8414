// SPDX-License-Identifier: Apache-2.0
//
// The cases of gpu_peers: products of matrices and the layers of ResNet-18, as tensor expressions
// and as sizes for cuBLAS and cuDNN. Depends on: compiler/te, nvidia_libraries.h. Used by
// gpu_peers.
#ifndef TESSERA_BENCH_PEERS_PEER_PROBLEMS_H_
#define TESSERA_BENCH_PEERS_PEER_PROBLEMS_H_

#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "bench/peers/nvidia_libraries.h"
#include "compiler/ir/array.h"
#include "compiler/te/te.h"

namespace tessera {

// One line of the table: |y| of |x| and |w|; its sums are int32 or float32.
struct PeerProblem {
  std::string name;
  DType dtype = DType::kInt8;
  std::optional<ProductSize> product;
  std::optional<ConvSize> conv;
  te::Tensor x, w, y;
  double operations = 0;  // multiplications and additions
};

// In float32, float16 and int8: products of 512 to 4096, the convolutions C1 to C12 of ResNet-18 by
// the names of VTA's papers, with ResNet-18's pads, and its dense layer fc. |tiny|: one product and
// one convolution that a processor computes at once.
std::vector<PeerProblem> PeerProblems(bool tiny);

// -1, 0 or 1: every sum is a whole number that each type holds, in any order of adding.
ir::Array PeerElements(const te::Tensor& t, Rng& rng);

}  // namespace tessera

#endif  // TESSERA_BENCH_PEERS_PEER_PROBLEMS_H_
