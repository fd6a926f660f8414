// SPDX-License-Identifier: Apache-2.0
#include "jit/kernel.h"

#include <algorithm>

#include "base/check.h"
#include "isa/encoding.h"

namespace tessera::jit {

Result<int> KernelTable::Intern(std::span<const isa::Uop> uops) {
  TESSERA_CHECK(!uops.empty());
  std::vector<uint64_t> words;
  words.reserve(uops.size());
  for (const isa::Uop& uop : uops) {
    TESSERA_ASSIGN(const uint64_t word, isa::EncodeUop(uop));
    words.push_back(word);
  }
  const auto found = by_words_.find(words);
  if (found != by_words_.end()) return found->second;
  const int number = size();
  kernels_.push_back({{uops.begin(), uops.end()}, static_cast<int64_t>(data_.size())});
  for (uint64_t word : words) {
    for (int i = 0; i < 8; ++i) data_.push_back(static_cast<uint8_t>(word >> (8 * i)));
  }
  by_words_.emplace(std::move(words), number);
  return number;
}

std::optional<int64_t> KernelResidency::FindGap(int64_t count) const {
  int64_t at = 0;
  for (const auto& [begin, resident] : places_) {
    if (begin - at >= count) return at;
    at = resident.end;
  }
  if (depth_ - at >= count) return at;
  return std::nullopt;
}

Result<KernelResidency::KernelSlot> KernelResidency::Use(int kernel, int64_t count) {
  if (count > depth_) {
    return Fail(
        Code::kOutOfRange,
        "a kernel of {} micro-ops, UOP holds {}; a configuration with a greater uop_kib runs "
        "it",
        count, depth_);
  }
  ++time_;
  const auto found = begin_of_.find(kernel);
  if (found != begin_of_.end()) {
    places_.at(found->second).used = time_;
    return KernelSlot{found->second, false};
  }
  std::optional<int64_t> at = FindGap(count);
  while (!at) {
    const auto oldest = std::min_element(
        places_.begin(), places_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    begin_of_.erase(oldest->second.kernel);
    places_.erase(oldest);
    at = FindGap(count);
  }
  places_.emplace(*at, ResidentKernel{kernel, *at + count, time_});
  begin_of_.emplace(kernel, *at);
  const bool fresh = *at >= touched_;
  touched_ = std::max(touched_, *at + count);
  return KernelSlot{*at, true, fresh};
}

}  // namespace tessera::jit
