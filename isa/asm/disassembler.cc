// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "base/bits.h"
#include "base/check.h"
#include "isa/asm/asm.h"
#include "isa/asm/insn_set.h"
#include "isa/field_values.h"

namespace tessera::isa {
namespace {

std::optional<Config> FindByHash(uint64_t hash, std::span<const Config> configs) {
  for (const std::span<const Config> set : {configs, NamedConfigs()}) {
    for (const Config& config : set) {
      if (config.Hash() == hash) return config;
    }
  }
  return std::nullopt;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<uint8_t>(c));
    }
  }
  return out + "\"";
}

class Disassembler {
 public:
  Disassembler(const ProgramImage& image, std::span<const Config> configs) : image_(image) {
    const std::optional<Config> config = FindByHash(image.config_hash, configs);
    if (image.profile == Profile::kTessera) {
      set_ = MakeInsnSet(image.profile, Config());
    } else if (config && ValidateVtaProfile(*config)) {
      set_ = MakeInsnSet(image.profile, *config);
    }
  }

  std::string Print() {
    Line(".profile {}", Text(image_.profile));
    Line(".config {} 0x{:016x}", Quoted(image_.config_name), image_.config_hash);
    if (!set_) Line("; the configuration is not known here: instructions are printed as words");
    for (int s = 0; s < kSegments; ++s) PrintSegment(s, image_.segments[static_cast<size_t>(s)]);
    PrintCode();
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void PrintSegment(int number, const SegmentData& segment) {
    if (segment.size == 0) return;
    Line(".segment {} {}", SymbolText(kSegmentEnum, number), segment.size);
    size_t at = 0;
    if (number == static_cast<int>(Segment::kUops) && set_) at = PrintUops(segment.data);
    while (at < segment.data.size()) at = PrintBytes(segment.data, at);
  }

  // Prints the micro-ops at the begin of |data| and returns their end. Prints unused depth as a run
  // of zeros.
  size_t PrintUops(std::span<const uint8_t> data) {
    const auto bytes = static_cast<size_t>(set_->uop_bytes);
    constexpr size_t kManyUops = 8;
    size_t at = 0;
    while (at + bytes <= data.size()) {
      if (const size_t uops = Zeros(data, at) / bytes; uops >= kManyUops) {
        Line("  .zero {}", uops * bytes);
        at += uops * bytes;
        continue;
      }
      TextWord word{};
      std::memcpy(word.data(), data.data() + at, bytes);
      if (!AllNamed(set_->uop, 0, word)) break;
      Line("  {}", InsnText(set_->uop, word));
      at += bytes;
    }
    return at;
  }

  static size_t Zeros(std::span<const uint8_t> data, size_t at) {
    const auto first = data.begin() + static_cast<ptrdiff_t>(at);
    return static_cast<size_t>(std::find_if(first, data.end(), [](uint8_t b) { return b != 0; }) -
                               first);
  }

  // Prints a run of zeros, or up to 32 other bytes, from |at|; returns their end.
  size_t PrintBytes(std::span<const uint8_t> data, size_t at) {
    constexpr size_t kLine = 32;
    const size_t zeros = Zeros(data, at);
    if (zeros >= kLine || zeros == data.size() - at) {
      Line("  .zero {}", zeros);
      return at + zeros;
    }
    const size_t end = std::min(at + kLine, data.size());
    out_ += "  .hex ";
    for (; at < end; ++at) fmt::format_to(std::back_inserter(out_), "{:02x}", data[at]);
    out_ += '\n';
    return end;
  }

  // Whether |word| is its fields and opcode alone, with values that the assembler accepts.
  bool AllNamed(const TextInsn& insn, int opcode_bits, const TextWord& word) {
    TextWord again{word[0] & Mask(opcode_bits)};
    for (const TextField& field : insn.fields) {
      const int64_t value = GetField(field, word);
      if (value != 0 && !HasMeaning(field.values, value)) return false;
      PutField(field, value, again);
    }
    return again == word;
  }

  void PrintCode() {
    Line(".code");
    auto range = image_.source.begin();
    bool open = false;
    for (int64_t n = 0; n <= image_.insn_count(); ++n) {
      while (range != image_.source.end()) {
        if (!open && range->begin == n) {
          Line("  .source {} {}", range->layer,
               Quoted(std::string_view(range->op).substr(0, kMaxOpBytes)));
          open = true;
        }
        if (!open || range->end != n) break;
        Line("  .end");
        open = false;
        ++range;
      }
      if (n < image_.insn_count()) PrintInsn(n);
    }
  }

  void PrintInsn(int64_t n) {
    TextWord word{};
    const auto bytes = static_cast<size_t>(image_.insn_bytes());
    std::memcpy(word.data(), image_.code.data() + static_cast<size_t>(n) * bytes, bytes);
    const TextInsn* insn =
        set_ ? set_->Find(static_cast<int>(word[0] & Mask(set_->opcode_bits))) : nullptr;
    if (insn != nullptr && AllNamed(*insn, set_->opcode_bits, word)) {
      Line("  {}  ; {}", InsnText(*insn, word), n);
    } else if (bytes == kInsnBytes) {
      Line("  .word 0x{:016x}{:016x}{:016x}{:016x}  ; {}", word[3], word[2], word[1], word[0], n);
    } else {
      Line("  .word 0x{:016x}{:016x}  ; {}", word[1], word[0], n);
    }
  }

  const ProgramImage& image_;
  std::optional<InsnSet> set_;
  std::string out_;
};

}  // namespace

std::string Disassemble(const ProgramImage& image, std::span<const Config> configs) {
  if (const Status status = CheckImage(image); !status)
    TESSERA_CHECK(false, "{}", status.error().message);
  return Disassembler(image, configs).Print();
}

}  // namespace tessera::isa
