// SPDX-License-Identifier: Apache-2.0
#include "sim/rig/first_word.h"

#include <algorithm>
#include <compare>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "isa/semantics/execute.h"
#include "sim/rig/program.h"
#include "sim/trace/digest.h"

namespace tessera::rig {
namespace {

using isa::ByteSpace;

// A 32-bit word of one space; |word| is its byte address / 4.
struct WordPlace {
  ByteSpace space = ByteSpace::kDram;
  uint64_t word = 0;
  auto operator<=>(const WordPlace&) const = default;
};

// The words that an instruction writes, with their values after it.
class WordWrites {
 public:
  void operator()(ByteSpace space, uint64_t address, const void*, const void* after,
                  int64_t bytes) {
    for (int64_t i = 0; i < bytes; ++i) {
      const uint64_t at = address + static_cast<uint64_t>(i);
      words.insert({space, at / 4});
      bytes_[{space, at}] = static_cast<const uint8_t*>(after)[i];
    }
  }
  std::set<WordPlace> words;

  // |value| with the written bytes of the word replaced.
  uint32_t Over(const WordPlace& place, uint32_t value) const {
    for (uint64_t i = 0; i < 4; ++i) {
      const auto byte = bytes_.find({place.space, 4 * place.word + i});
      if (byte == bytes_.end()) continue;
      value &= ~(0xffu << (8 * i));
      value |= uint32_t{byte->second} << (8 * i);
    }
    return value;
  }

 private:
  std::map<std::pair<ByteSpace, uint64_t>, uint8_t> bytes_;
};

struct SpaceView {
  ByteSpace space;
  isa::Memory memory;
  std::span<const uint8_t> bytes;
};

std::vector<SpaceView> Views(const isa::MachineState& m) {
  std::vector<SpaceView> views;
  for (const isa::MemoryRow& row : isa::kMemoryRows) {
    if (!row.lies_in)
      views.push_back({isa::ByteSpaceOf(row.memory), row.memory, m.BytesOf(row.memory)});
  }
  return views;
}

// The inverse of an odd number modulo 2^64.
uint64_t Inverse(uint64_t odd) {
  uint64_t x = odd;  // correct in three bits; each step doubles the number of correct bits
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
  return x;
}

// The change of the word at |place| that explains |difference|; not set if none of 32 bits does.
std::optional<int64_t> ChangeOf(const WordPlace& place, uint64_t difference) {
  const int64_t change =
      static_cast<int64_t>(difference * Inverse(sim::DigestKey(place.space, place.word)));
  if (change > INT64_C(0xffffffff) || change < -INT64_C(0xffffffff)) return std::nullopt;
  return change;
}

std::string PlaceText(const WordPlace& place, const ImageOutcome& a, const isa::Config& config,
                      isa::Profile profile, const std::vector<SpaceView>& views) {
  const uint64_t at = 4 * place.word;
  for (const SpaceView& view : views) {
    if (view.space != place.space) continue;
    const uint64_t tile = static_cast<uint64_t>(config.TileBytes(view.memory, profile));
    return fmt::format("{} tile {} byte {}", Text(view.memory), at / tile, at % tile);
  }
  for (int s = 0; s < isa::kSegments; ++s) {
    if (at >= a.bases[s] && at - a.bases[s] < a.segments[s].size())
      return fmt::format("segment {} byte {}", s, at - a.bases[s]);
  }
  return fmt::format("device memory byte {}", at);
}

}  // namespace

std::string WordThatDiffers(const ImageOutcome& a, uint32_t number, uint64_t digest,
                            const isa::ProgramImage& image, const isa::Config& config,
                            std::string_view name_a, std::string_view name_b) {
  const auto fetcher = isa::Fetcher::Make(image.profile, config);
  if (!fetcher) return "";
  isa::MachineState machine(config);
  machine.profile = image.profile;
  machine.vta = fetcher->vta();
  uint64_t end = 0;
  for (int s = 0; s < isa::kSegments; ++s) {
    machine.segments[s] = {a.bases[s], a.segments[s].size()};
    end = std::max(end, a.bases[s] + a.segments[s].size());
  }
  std::vector<uint8_t> memory(end);
  for (int s = 0; s < isa::kSegments; ++s) {
    std::ranges::copy(image.segments[s].data, memory.begin() + static_cast<int64_t>(a.bases[s]));
  }
  machine.dram = memory;
  const std::vector<isa::Fetched> program = FetchAll(image, config);
  // Instructions may execute in the order in which they retired.
  for (const TraceEntry& entry : a.trace) {
    if (entry.insn >= program.size()) return "";
    WordWrites writes;
    isa::NoWrites nobody;
    const isa::AnyInsn& insn = program[entry.insn].insn;
    if (entry.insn != number) {
      if (isa::ExecuteAny(insn, machine, nobody)) return "";
      continue;
    }
    if (isa::ExecuteAny(insn, machine, writes)) return "";
    const uint64_t difference = digest - entry.digest;  // b's sum minus a's
    const std::vector<SpaceView> views = Views(machine);
    const auto tell = [&](const WordPlace& place, int64_t change) {
      uint32_t value = 0;
      for (const SpaceView& view : views) {
        if (view.space == place.space) std::memcpy(&value, view.bytes.data() + 4 * place.word, 4);
      }
      if (place.space == ByteSpace::kDram && 4 * place.word + 4 <= memory.size())
        std::memcpy(&value, &memory[4 * place.word], 4);
      value = writes.Over(place, value);
      return fmt::format("{}: {} 0x{:08x}, {} 0x{:08x}",
                         PlaceText(place, a, config, image.profile, views), name_a, value, name_b,
                         static_cast<uint32_t>(value + static_cast<uint64_t>(change)));
    };
    for (const WordPlace& place : writes.words) {
      if (const auto change = ChangeOf(place, difference)) return tell(place, *change);
    }
    // The difference may also be in a word that the instruction must not write.
    for (const SpaceView& view : views) {
      for (uint64_t word = 0; word < view.bytes.size() / 4; ++word) {
        if (const auto change = ChangeOf({view.space, word}, difference))
          return tell({view.space, word}, *change);
      }
    }
    for (uint64_t word = 0; word < memory.size() / 4; ++word) {
      if (const auto change = ChangeOf({ByteSpace::kDram, word}, difference))
        return tell({ByteSpace::kDram, word}, *change);
    }
    return "";
  }
  return "";
}

}  // namespace tessera::rig
