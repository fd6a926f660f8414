// SPDX-License-Identifier: Apache-2.0
//
// ProgramText: the instructions of a program as text. Depends on: isa, isa/semantics. Used by:
// compare.h, timelines.
#ifndef TESSERA_SIM_TRACE_PROGRAM_TEXT_H_
#define TESSERA_SIM_TRACE_PROGRAM_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "isa/config.h"
#include "isa/image.h"
#include "isa/semantics/fetch.h"

namespace tessera::sim {

class ProgramText {
 public:
  // |image| must outlive this object.
  ProgramText(const isa::ProgramImage& image, const isa::Config& config);

  // Not set: there is no such instruction, or it does not decode.
  std::optional<isa::Fetched> Decode(uint32_t insn) const;
  // "requant src=4 ...", "does not decode".
  std::string Text(uint32_t insn) const;
  // The layer of |insn|, if it has one.
  std::optional<uint32_t> LayerOf(uint32_t insn) const;
  const isa::ProgramImage& image() const { return image_; }

 private:
  const isa::ProgramImage& image_;
  std::optional<isa::Fetcher> fetcher_;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_TRACE_PROGRAM_TEXT_H_
