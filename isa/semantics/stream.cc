// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/stream.h"

#include <utility>

namespace tessera::isa {

InsnStream::InsnStream(const Fetcher& fetcher, const Config& config, uint32_t count,
                       const ReadInsn& read, SourceOf source)
    : profile_(fetcher.profile()),
      queue_depth_(config.QueueDepth(profile_)),
      token_depth_(config.TokenDepth(profile_)),
      source_(std::move(source)) {
  std::vector<uint8_t> bytes(static_cast<size_t>(fetcher.insn_bytes()));
  for (uint32_t number = 0; number < count; ++number) {
    Fetched fetched;
    if (!read(number, bytes) || fetcher.Fetch(bytes, &fetched)) return;
    const int unit = static_cast<int>(fetched.unit);
    for (int other = 0; other < kUnits; ++other) {
      if (fetched.pop >> other & 1) pops_[other][unit].push_back(number);
      if (fetched.push >> other & 1) pushes_[unit][other].push_back(number);
    }
    insns_.push_back(std::move(fetched));
    if (insns_.back().finish) return;
  }
}

std::string InsnStream::Name(uint32_t number) const {
  if (number >= size()) return fmt::format("instruction {}", number);
  const std::string_view source = source_ ? source_(number) : std::string_view();
  return fmt::format("instruction {} ({}{}{})", number, Describe(insns_[number].insn),
                     source.empty() ? "" : "; ", source);
}

}  // namespace tessera::isa
