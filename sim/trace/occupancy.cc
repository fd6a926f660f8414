// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/occupancy.h"

#include "isa/check/check.h"

namespace tessera::sim {
namespace {

// The value in a tile: the instruction that wrote it and the last one that read it; -1: none.
struct TileLife {
  int64_t writer = -1, reader = -1;
};

class Lives {
 public:
  Lives(const isa::Config& config, isa::Profile profile, size_t insns)
      : found_{std::vector<TileCounts>(insns), std::vector<TileCounts>(insns)} {
    for (size_t m = 0; m < tiles_.size(); ++m) {
      const int64_t depth = config.Depth(static_cast<isa::Memory>(m), profile);
      tiles_[m].resize(static_cast<size_t>(depth));
    }
  }

  void Touched(uint32_t insn, const isa::Touch& touch) {
    if (touch.space.is_segment()) return;
    const size_t memory = touch.space.index;
    const auto first = static_cast<size_t>(touch.first);
    for (size_t t = first; t < first + static_cast<size_t>(touch.count); ++t) {
      if (t >= tiles_[memory].size()) return;  // the checker reports this error
      TileLife& tile = tiles_[memory][t];
      if (!touch.write) {
        tile.reader = insn;
      } else if (tile.writer != insn && tile.reader != insn) {
        Close(memory, tile);
        tile = {.writer = insn};
      }
    }
  }

  Occupancy Take() {
    for (size_t m = 0; m < tiles_.size(); ++m) {
      for (const TileLife& tile : tiles_[m]) Close(m, tile);
    }
    return std::move(found_);
  }

 private:
  // A value that no instruction reads was never in use.
  void Close(size_t memory, const TileLife& tile) {
    if (tile.writer < 0 || tile.reader < 0) return;
    ++found_.taken[static_cast<size_t>(tile.writer)][memory];
    ++found_.retired[static_cast<size_t>(tile.reader)][memory];
  }

  std::array<std::vector<TileLife>, isa::kMemories> tiles_;
  Occupancy found_;
};

}  // namespace

Result<Occupancy> FindOccupancy(const isa::ProgramImage& image, const isa::Config& config) {
  Lives lives(config, image.profile, static_cast<size_t>(image.insn_count()));
  isa::CheckOptions options;
  options.on_touch = [&](uint32_t insn, const isa::Touch& touch) { lives.Touched(insn, touch); };
  for (const isa::Diagnostic& d : isa::CheckProgram(image, config, options).diagnostics) {
    if (!d.warning) return Fail(Code::kInvalidArgument, "{}", d.text);
  }
  return lives.Take();
}

}  // namespace tessera::sim
