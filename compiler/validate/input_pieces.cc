// SPDX-License-Identifier: Apache-2.0
#include "compiler/validate/input_pieces.h"

#include <set>

namespace tessera::validate {
namespace {

// The pieces of |grain| bytes that |need| has of its whole.
std::set<int64_t> PiecesOf(const network::MemoryNeed& need, int64_t grain) {
  const std::span<const int64_t> shape = need.packing.packed_shape();
  const std::vector<int64_t> extents = PhysicalShape(shape, need.packing.layout),
                             strides = PhysicalStrides(shape, need.packing.layout);
  std::set<int64_t> pieces;
  std::vector<int64_t> at(extents.size());
  for (size_t d = 0; d < extents.size();) {
    int64_t byte = need.offset;
    for (size_t k = 0; k < at.size(); ++k) byte += at[k] * strides[k];
    pieces.insert(byte / grain);
    // The next index, the innermost dimension first.
    for (d = 0; d < extents.size(); ++d) {
      const size_t inner = extents.size() - 1 - d;
      if (++at[inner] < extents[inner]) break;
      at[inner] = 0;
    }
  }
  return pieces;
}

}  // namespace

std::vector<size_t> InputPieces(const network::ProgramPlan& plan, size_t need, int64_t grain) {
  const network::MemoryNeed& own = plan.needs[need];
  std::vector<size_t> pieces;
  if (own.first >= 0) return pieces;
  std::set<int64_t> others;  // the pieces of the whole that other needs account for
  for (size_t n = 0; n < plan.needs.size(); ++n) {
    const network::MemoryNeed& other = plan.needs[n];
    if (n != need && (other.made || (other.first < 0 && n < need)) && own.Overlaps(other))
      others.merge(PiecesOf(other, grain));
  }
  for (const int64_t piece : PiecesOf(own, grain)) {
    if (!others.contains(piece)) pieces.push_back(static_cast<size_t>(piece - own.offset / grain));
  }
  return pieces;
}

}  // namespace tessera::validate
