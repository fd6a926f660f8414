// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/emit/ring.h"

#include <algorithm>

#include "base/bits.h"
#include "base/check.h"

namespace tessera::codegen::accel {

RingAllocator::RingAllocator(int64_t depth, int64_t bank)
    : depth_(depth), bank_(std::max<int64_t>(bank, 1)) {
  TESSERA_CHECK(depth >= 1 && depth % bank_ == 0, "depth {}, bank {}", depth, bank_);
}

std::optional<int64_t> RingAllocator::FindGap(int64_t from, int64_t to, int64_t tiles) const {
  int64_t at = from;
  auto piece = pieces_.upper_bound(at);
  if (piece != pieces_.begin()) at = std::max(at, std::prev(piece)->second);
  while (at + tiles <= to) {
    if (piece == pieces_.end() || piece->first >= at + tiles) return at;
    at = piece->second;
    ++piece;
  }
  return std::nullopt;
}

std::optional<int64_t> RingAllocator::Allocate(int64_t tiles) {
  TESSERA_CHECK(tiles >= 1, "{} tiles", tiles);
  const int64_t size = RoundUp(tiles, bank_);
  std::optional<int64_t> at = FindGap(next_, depth_, size);
  // Searches the whole ring: a gap may begin before next_ and end after it.
  if (!at) at = FindGap(0, depth_, size);
  if (!at) return std::nullopt;
  pieces_.emplace(*at, *at + size);
  next_ = *at + size == depth_ ? 0 : *at + size;
  return at;
}

void RingAllocator::Release(int64_t begin) {
  TESSERA_CHECK(pieces_.erase(begin) == 1, "no piece at {}", begin);
}

void RingAllocator::GoOnFrom(int64_t tile) {
  TESSERA_CHECK(pieces_.empty() && tile >= 0 && tile < depth_ && tile % bank_ == 0);
  next_ = tile;
}

int64_t RingAllocator::Rounded(int64_t tiles) const { return RoundUp(tiles, bank_); }

int64_t RingAllocator::in_use() const {
  int64_t sum = 0;
  for (const auto& [begin, end] : pieces_) sum += end - begin;
  return sum;
}

}  // namespace tessera::codegen::accel
