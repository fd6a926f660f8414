// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/program_text.h"

#include <algorithm>

namespace tessera::sim {

ProgramText::ProgramText(const isa::ProgramImage& image, const isa::Config& config)
    : image_(image) {
  if (Result<isa::Fetcher> fetcher = isa::Fetcher::Make(image.profile, config))
    fetcher_ = std::move(*fetcher);
}

std::optional<isa::Fetched> ProgramText::Decode(uint32_t insn) const {
  if (!fetcher_ || insn >= image_.insn_count()) return std::nullopt;
  const auto bytes = static_cast<size_t>(image_.insn_bytes());
  isa::Fetched fetched;
  if (fetcher_->Fetch(std::span(image_.code).subspan(insn * bytes, bytes), &fetched))
    return std::nullopt;
  return fetched;
}

std::string ProgramText::Text(uint32_t insn) const {
  const std::optional<isa::Fetched> fetched = Decode(insn);
  return fetched ? isa::Describe(fetched->insn) : "does not decode";
}

std::optional<uint32_t> ProgramText::LayerOf(uint32_t insn) const {
  const auto range = std::ranges::upper_bound(image_.source, insn, {}, &isa::SourceRange::end);
  if (range == image_.source.end() || insn < range->begin) return std::nullopt;
  return range->layer;
}

}  // namespace tessera::sim
