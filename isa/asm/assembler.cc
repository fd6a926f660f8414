// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <set>

#include "base/number.h"
#include "isa/asm/asm.h"
#include "isa/asm/insn_set.h"
#include "isa/asm/line_reader.h"
#include "isa/field_values.h"

namespace tessera::isa {
namespace {

constexpr Code kArg = Code::kInvalidArgument;

class Assembler {
 public:
  explicit Assembler(std::span<const Config> configs) : configs_(configs) {}

  Status Line(std::string_view text, int64_t number) {
    LineReader line(text, number);
    if (line.AtEnd()) return {};
    const size_t column = line.Column();
    const std::string_view word = line.Word();
    if (word.empty())
      return line.Bad(kArg, column, "\"{}\" begins no directive or instruction", line.Rest());
    TESSERA_TRY(word.starts_with('.') ? Directive(word, column, line)
                                      : Instruction(word, column, line));
    return line.End();
  }

  Result<ProgramImage> Finish(int64_t lines) {
    LineReader end("", lines);
    if (!has_profile_) return end.Bad(kArg, 1, "the text ended without .profile");
    if (!has_config_) return end.Bad(kArg, 1, "the text ended without .config");
    if (in_source_) return end.Bad(kArg, 1, "the text ended inside .source; .end is missing");
    for (SegmentData& segment : image_.segments) {
      if (segment.size < segment.data.size()) segment.size = segment.data.size();
    }
    TESSERA_TRY(CheckImage(image_));
    return std::move(image_);
  }

 private:
  Status Directive(std::string_view word, size_t column, LineReader& line) {
    if (word == ".profile") return ProfileIs(column, line);
    if (word == ".config") return ConfigIs(column, line);
    if (!has_profile_ || !has_config_)
      return line.Bad(kArg, column, ".profile and .config come first");
    if (word == ".segment") return BeginSegment(column, line);
    if (word == ".hex" || word == ".zero") return Data(word, column, line);
    if (word == ".code") return BeginCode(column, line);
    if (word == ".word") return Word(column, line);
    if (word == ".source") return BeginSource(column, line);
    if (word == ".end") return EndSource(column, line);
    return line.Bad(
        kArg, column,
        "no directive {}; there are .profile .config .segment .hex .zero .code .source .end .word",
        word.substr(0, 60));
  }

  Status ProfileIs(size_t column, LineReader& line) {
    if (has_profile_) return line.Bad(kArg, column, ".profile stands there twice");
    const size_t at = line.Column();
    const std::string_view name = line.Word();
    const std::optional<int> value = EnumFromText("Profile", name);
    if (!value)
      return line.Bad(kArg, at, "the profile is \"{}\", it can be vta or tessera",
                      name.substr(0, 60));
    image_.profile = static_cast<Profile>(*value);
    has_profile_ = true;
    return {};
  }

  Status ConfigIs(size_t column, LineReader& line) {
    if (!has_profile_) return line.Bad(kArg, column, ".profile comes before .config");
    if (has_config_) return line.Bad(kArg, column, ".config stands there twice");
    const size_t at = line.Column();
    image_.config_name = line.Word();
    if (image_.config_name.empty()) {
      TESSERA_ASSIGN(image_.config_name, line.QuotedText());
    }
    if (image_.config_name.size() > kMaxConfigNameBytes) {
      return line.Bad(Code::kOutOfRange, at, "a name of {} bytes, at most {} are accepted",
                      image_.config_name.size(), kMaxConfigNameBytes);
    }
    const size_t hash_at = line.Column();
    std::optional<uint64_t> hash;
    if (!line.AtEnd()) {
      const std::string_view word = line.Word();
      if (word.starts_with("0x")) hash = NumberIn<uint64_t>(word.substr(2), 16);
      if (!hash) {
        return line.Bad(kArg, hash_at, "the hash is 0x and up to 16 hexadecimal digits");
      }
    }
    return FindConfig(hash, at, line);
  }

  // Finds the configuration of the program by its hash; a hand-written program without a hash gives
  // the name alone.
  Status FindConfig(std::optional<uint64_t> hash, size_t at, LineReader& line) {
    const Config* found = nullptr;
    for (const std::span<const Config> set : {configs_, NamedConfigs()}) {
      for (const Config& config : set) {
        const bool match = hash ? config.Hash() == *hash : config.name == image_.config_name;
        if (match && found == nullptr) found = &config;
      }
    }
    if (found == nullptr && !hash) {
      return line.Bad(kArg, at,
                      "no configuration is named \"{}\" here; give its hash behind the name",
                      image_.config_name.substr(0, 60));
    }
    image_.config_hash = hash ? *hash : found->Hash();
    has_config_ = true;
    if (image_.profile == Profile::kTessera) {
      set_ = MakeInsnSet(image_.profile, Config());
    } else if (found != nullptr && ValidateVtaProfile(*found)) {
      set_ = MakeInsnSet(image_.profile, *found);
    }
    return {};
  }

  Status BeginSegment(size_t column, LineReader& line) {
    if (in_code_) return line.Bad(kArg, column, "segments come before .code");
    const size_t at = line.Column();
    const std::string_view name = line.Word();
    std::optional<int64_t> number = SymbolValue(kSegmentEnum, name);
    if (!number) {
      if (const auto value = ParseNumber(name)) number = *value;
    }
    if (!number || *number < 0 || *number >= kSegments) {
      return line.Bad(
          kArg, at,
          "no segment \"{}\"; there are uops, constants, arena, input, output and 0 to {}",
          name.substr(0, 60), kSegments - 1);
    }
    if (seen_.contains(*number))
      return line.Bad(kArg, at, "segment {} stands there twice", *number);
    seen_.insert(*number);
    segment_ = &image_.segments[static_cast<size_t>(*number)];
    sized_ = !line.AtEnd();
    if (sized_) {
      TESSERA_ASSIGN(const int64_t size,
                     line.Number("the segment's size", 0, static_cast<int64_t>(kMaxSegmentBytes)));
      segment_->size = static_cast<uint64_t>(size);
    }
    return {};
  }

  // Adds room for |bytes| more at the end of the segment; returns its begin.
  Result<uint8_t*> Grow(uint64_t bytes, size_t column, LineReader& line) {
    if (bytes > kMaxAsmDataBytes - data_bytes_) {
      return line.Bad(Code::kOutOfRange, column, "more than {} bytes of data", kMaxAsmDataBytes);
    }
    std::vector<uint8_t>& data = segment_->data;
    if (sized_ && data.size() + bytes > segment_->size) {
      return line.Bad(Code::kOutOfRange, column, "{} bytes of data, the segment has {}",
                      data.size() + bytes, segment_->size);
    }
    data_bytes_ += bytes;
    data.resize(data.size() + bytes);
    return data.data() + data.size() - bytes;
  }

  Status Data(std::string_view word, size_t column, LineReader& line) {
    if (segment_ == nullptr) return line.Bad(kArg, column, "{} belongs into a .segment", word);
    const size_t at = line.Column();
    if (word == ".zero") {
      TESSERA_ASSIGN(const int64_t count,
                     line.Number("the count", 0, static_cast<int64_t>(kMaxAsmDataBytes)));
      TESSERA_ASSIGN([[maybe_unused]] const uint8_t* zeros,
                     Grow(static_cast<uint64_t>(count), at, line));
      return {};
    }
    const std::string_view digits = line.Word();
    if (digits.empty() || digits.size() % 2 != 0)
      return line.Bad(kArg, at, ".hex takes pairs of hexadecimal digits");
    TESSERA_ASSIGN(uint8_t * out, Grow(digits.size() / 2, at, line));
    for (size_t i = 0; i < digits.size(); i += 2) {
      const auto byte = NumberIn<uint8_t>(digits.substr(i, 2), 16);
      if (byte) {
        *out++ = *byte;
      } else {
        return line.Bad(kArg, at + i, "\"{}\" is not a pair of hexadecimal digits",
                        digits.substr(i, 2));
      }
    }
    return {};
  }

  Status BeginCode(size_t column, LineReader& line) {
    if (in_code_) return line.Bad(kArg, column, ".code stands there twice");
    in_code_ = true;
    segment_ = nullptr;
    return {};
  }

  Status NeedCode(std::string_view what, size_t column, LineReader& line) const {
    if (in_code_) return {};
    return line.Bad(kArg, column, "{} comes after .code", what.substr(0, 60));
  }

  // The bits of one instruction as one number; its low byte is first in memory.
  Status Word(size_t column, LineReader& line) {
    TESSERA_TRY(NeedCode(".word", column, line));
    const size_t at = line.Column();
    std::string_view digits = line.Word();
    const auto most = static_cast<size_t>(image_.insn_bytes()) * 2;
    if (!digits.starts_with("0x") || digits.size() < 3 || digits.size() > most + 2) {
      return line.Bad(kArg, at, "the word is 0x and up to {} hexadecimal digits", most);
    }
    TextWord word{};
    for (size_t at_digit = 2; at_digit < digits.size(); ++at_digit) {
      const auto digit = NumberIn<uint64_t>(digits.substr(at_digit, 1), 16);
      if (!digit) {
        return line.Bad(kArg, at, "the word is 0x and up to {} hexadecimal digits", most);
      }
      for (size_t i = 3; i > 0; --i) word[i] = word[i] << 4 | word[i - 1] >> 60;
      word[0] = word[0] << 4 | *digit;
    }
    return Emit(word, column, line);
  }

  Status Emit(const TextWord& word, size_t column, LineReader& line) {
    const auto bytes = static_cast<size_t>(image_.insn_bytes());
    if (image_.code.size() + bytes > kMaxCodeBytes) {
      return line.Bad(Code::kOutOfRange, column, "more than {} bytes of code", kMaxCodeBytes);
    }
    image_.code.resize(image_.code.size() + bytes);
    std::memcpy(image_.code.data() + image_.code.size() - bytes, word.data(), bytes);
    return {};
  }

  Status BeginSource(size_t column, LineReader& line) {
    TESSERA_TRY(NeedCode(".source", column, line));
    if (in_source_) return line.Bad(kArg, column, ".source inside .source; .end comes first");
    if (image_.source.size() >= kMaxSourceRanges) {
      return line.Bad(Code::kOutOfRange, column, "more than {} source ranges", kMaxSourceRanges);
    }
    SourceRange range;
    range.begin = static_cast<uint32_t>(image_.insn_count());
    TESSERA_ASSIGN(const int64_t layer, line.Number("the layer", 0, 0xffffffff));
    range.layer = static_cast<uint32_t>(layer);
    const size_t at = line.Column();
    TESSERA_ASSIGN(range.op, line.QuotedText());
    if (range.op.size() > kMaxOpBytes) {
      return line.Bad(Code::kOutOfRange, at, "a name of {} bytes, at most {} are accepted",
                      range.op.size(), kMaxOpBytes);
    }
    image_.source.push_back(std::move(range));
    in_source_ = true;
    return {};
  }

  Status EndSource(size_t column, LineReader& line) {
    if (!in_source_) return line.Bad(kArg, column, ".end without .source");
    image_.source.back().end = static_cast<uint32_t>(image_.insn_count());
    in_source_ = false;
    return {};
  }

  Status Instruction(std::string_view word, size_t column, LineReader& line) {
    if (!has_config_) return line.Bad(kArg, column, ".profile and .config come first");
    if (!set_) {
      return line.Bad(kArg, column,
                      "the fields of profile vta in configuration {} are not known here; only "
                      ".word can be used",
                      image_.config_name);
    }
    const bool is_uop = word == set_->uop.mnemonic;
    const TextInsn* insn = is_uop ? &set_->uop : set_->Find(word);
    if (insn == nullptr) {
      return line.Bad(kArg, column, "no instruction \"{}\" in profile {}", word.substr(0, 60),
                      Text(image_.profile));
    }
    if (is_uop && segment_ == nullptr) return line.Bad(kArg, column, "uop belongs into a .segment");
    if (!is_uop) TESSERA_TRY(NeedCode(word, column, line));
    TextWord bits{is_uop ? 0 : static_cast<uint64_t>(insn->opcode)};
    std::set<const TextField*> given;
    while (!line.AtEnd()) TESSERA_TRY(Field(*insn, given, bits, line));
    if (!is_uop) return Emit(bits, column, line);
    TESSERA_ASSIGN(uint8_t * out, Grow(static_cast<uint64_t>(set_->uop_bytes), column, line));
    std::memcpy(out, bits.data(), static_cast<size_t>(set_->uop_bytes));
    return {};
  }

  // name=value
  Status Field(const TextInsn& insn, std::set<const TextField*>& given, TextWord& bits,
               LineReader& line) {
    const size_t column = line.Column();
    const std::string_view rest = line.Rest();
    const std::string_view name = line.Word();
    const TextField* field = nullptr;
    for (const TextField& f : insn.fields) {
      if (f.name == name) field = &f;
    }
    if (field == nullptr) {
      std::string all;
      for (const TextField& f : insn.fields) all.append(all.empty() ? "" : " ").append(f.name);
      return line.Bad(kArg, column, "{} has no field \"{}\"; it has {}", insn.mnemonic, rest, all);
    }
    if (!given.insert(field).second) return line.Bad(kArg, column, "{} stands there twice", name);
    if (!line.Take('='))
      return line.Bad(kArg, line.Column(), "'=' and a value are missing behind {}", name);
    const size_t at = line.Column();
    TESSERA_ASSIGN(const int64_t value, Value(*field, line));
    if (value < LeastValue(*field) || value > GreatestValue(*field)) {
      return line.Bad(Code::kOutOfRange, at, "{}.{} is {}, the field holds {} {} bits",
                      insn.mnemonic, name, value, field->width,
                      field->kind == FieldKind::kSigned ? "signed" : "unsigned");
    }
    if (!HasMeaning(field->values, value)) {
      return line.Bad(
          Code::kOutOfRange, at, "{}.{} is {}, it can be {}", insn.mnemonic, name,
          field->enum_type.empty() ? fmt::format("{}", value) : SymbolText(field->enum_type, value),
          ValuesText(field->values, GreatestValue(*field)));
    }
    PutField(*field, value, bits);
    return {};
  }

  Result<int64_t> Value(const TextField& field, LineReader& line) {
    if (!field.flags.empty()) return Flags(field, line);
    if (field.enum_type.empty()) return line.Number(field.name);
    const size_t at = line.Column();
    const std::string_view word = line.Word();
    if (const std::optional<int64_t> value = SymbolValue(field.enum_type, word)) return *value;
    if (const auto number = ParseNumber(word)) return *number;
    return line.Bad(kArg, at, "\"{}\" is no {}; there are{}", word.substr(0, 60), field.name,
                    Symbols(field));
  }

  static std::string Symbols(const TextField& field) {
    std::string all;
    for (int64_t value = LeastValue(field); value <= GreatestValue(field); ++value) {
      const std::string symbol = SymbolText(field.enum_type, value);
      if (SymbolValue(field.enum_type, symbol) && HasMeaning(field.values, value))
        all.append(1, ' ').append(symbol);
    }
    return all;
  }

  Result<int64_t> Flags(const TextField& field, LineReader& line) {
    int64_t mask = 0;
    do {
      const size_t at = line.Column();
      const std::string_view word = line.Word();
      size_t i = 0;
      while (i < field.flags.size() && field.flags[i] != word) ++i;
      if (i == field.flags.size()) {
        if (const auto number = ParseNumber(word); number && mask == 0) return *number;
        std::string all;
        for (const std::string_view flag : field.flags) all += fmt::format(" {}", flag);
        return line.Bad(kArg, at, "\"{}\" is no {}; there are{}, joined by '+'", word.substr(0, 60),
                        field.name, all);
      }
      if (mask >> i & 1) return line.Bad(kArg, at, "{} stands there twice", word);
      mask |= int64_t{1} << i;
    } while (line.Take('+'));
    return mask;
  }

  std::span<const Config> configs_;
  ProgramImage image_;
  std::optional<InsnSet> set_;      // nothing: profile vta in an unknown configuration
  SegmentData* segment_ = nullptr;  // the segment that takes data
  bool sized_ = false;              // the segment's size was given
  std::set<int64_t> seen_;          // segments
  uint64_t data_bytes_ = 0;
  bool has_profile_ = false, has_config_ = false, in_code_ = false, in_source_ = false;
};

}  // namespace

Result<ProgramImage> Assemble(std::string_view text, std::span<const Config> configs) {
  if (text.size() > kMaxAsmBytes) {
    return Fail(Code::kOutOfRange, "the text has {} bytes, at most {} are accepted", text.size(),
                kMaxAsmBytes);
  }
  Assembler assembler(configs);
  int64_t number = 1;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    TESSERA_TRY(assembler.Line(text.substr(0, end), number++));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return assembler.Finish(number);
}

}  // namespace tessera::isa
