// SPDX-License-Identifier: Apache-2.0
#include "isa/gen/hls_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/gen/names.h"
#include "isa/gen/table_words.h"
#include "isa/semantics/state.h"
#include "isa/vta_layout.h"

namespace tessera::isa {
namespace {

class HlsPrinter {
 public:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void Int(std::string_view name, int64_t value, std::string_view meaning = "") {
    Line("const int k{} = {};{}{}", name, value, meaning.empty() ? "" : "  // ", meaning);
  }
  // A function of |word| that gives a value of type |type|.
  void Function(std::string_view type, std::string_view name, std::string_view word,
                std::string_view value, std::string_view meaning = "") {
    Line("inline {} {}({}) {{ return {}; }}{}{}", type, name, word, value,
         meaning.empty() ? "" : "  // ", meaning);
  }
  // A function that picks bits out of a word of |word_bits|; 0 where the field does not fit.
  void Pick(const std::string& name, std::string_view word, int word_bits, const FieldRow& f) {
    const std::string type =
        fmt::format("ap_{}<{}>", f.kind == FieldKind::kSigned ? "int" : "uint", f.width);
    const std::string value = f.lsb + f.width <= word_bits
                                  ? fmt::format("w.range({}, {})", f.lsb + f.width - 1, f.lsb)
                                  : "0";
    Function(type, name, fmt::format("const {}&{}", word, value == "0" ? "" : " w"),
             fmt::format("{}({})", type, value), f.meaning);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

constexpr std::string_view kInsn = "insn_word";

void PrintShape(const Config& c, HlsPrinter& p) {
  p.Int("Batch", c.batch, "rows of an activation tile");
  p.Int("BlockIn", c.block_in, "input channels of a tile");
  p.Int("BlockOut", c.block_out, "output channels of a tile; equals BlockIn");
  p.Int("Lanes", c.lanes(), "elements of an ACC or OUT tile");
  p.Int("BusBits", c.bus_bits, "data width of the memory ports");
  p.Int("BusBytes", c.bus_bytes());
  p.Int("QueueDepth", c.QueueDepth(Profile::kTessera), "instructions waiting in front of a unit");
  p.Int("VtaQueueDepth", c.QueueDepth(Profile::kVta), "the same in profile vta");
  p.Int("TokenDepth", c.TokenDepth(Profile::kTessera), "tokens on an edge");
  p.Int("VtaTokenDepth", c.TokenDepth(Profile::kVta), "the same in profile vta");
  p.Int("Segments", kSegments, "of device memory");
  p.Int("HasVta", ValidateVtaProfile(c).has_value() ? 1 : 0, "whether VTA's encoding fits");
  p.Line("const unsigned long long kConfigHash = 0x{:016x}ULL;", c.Hash());
}

void PrintMemories(const Config& c, HlsPrinter& p) {
  p.Line("");
  p.Line("// Scratchpads: tiles, and bytes of a tile in device memory.");
  int64_t most = 0;
  for (const MemoryRow& row : kMemoryRows) {
    if (row.lies_in) continue;
    const std::string name(NoK(NameOf(row.memory)));
    p.Int(name + "Depth", c.Depth(row.memory), EnumMeaning("Memory", static_cast<int>(row.memory)));
    p.Int(name + "TileBytes", c.TileBytes(row.memory));
    p.Int("Space" + name, static_cast<int>(ByteSpaceOf(row.memory)), "in digests");
    most = std::max(most, c.TileBytes(row.memory));
    if (row.element_bits != 0) continue;
    for (const RecordField& f : kRecordFields) {
      if (f.memory != row.memory) continue;
      const std::string field = name + Camel(f.name);
      p.Int(field + "Offset", RecordOffset(f) * c.SideLength(row.columns),
            "byte in a record of the first channel's");
      p.Int(field + "Bytes", f.bytes, "of a channel in device memory");
      p.Int(field + "Bits", f.bits,
            f.kind == FieldKind::kSigned ? "kept of it, signed" : "kept of it");
    }
  }
  p.Int("MaxTileBytes", most, "of the largest tile");
  p.Int("SpaceMemory", static_cast<int>(ByteSpace::kDram), "device memory in digests");
  p.Int("VtaUopDepth", c.Depth(Memory::kUop, Profile::kVta), "micro-ops of profile vta");
  p.Int("VtaUopTileBytes", c.TileBytes(Memory::kUop, Profile::kVta));
}

void PrintEnums(HlsPrinter& p) {
  for (const EnumRow& row : kEnums) {
    p.Line("");
    for (const EnumValue& e : kEnumValues) {
      if (e.type == row.type) p.Int(fmt::format("{}{}", row.type, NoK(e.name)), e.value, e.meaning);
    }
  }
}

// A function of a memory's number in a profile; 0 for a number without a memory.
void PrintOfMemory(std::string_view name, std::string_view meaning, auto&& value, HlsPrinter& p) {
  p.Line("// {}", meaning);
  p.Line("inline unsigned {}(unsigned memory, bool vta) {{", name);
  p.Line("  switch (memory) {{");
  for (const MemoryRow& row : kMemoryRows) {
    p.Line("    case kMemory{}: return vta ? {} : {};", NoK(NameOf(row.memory)),
           value(row, Profile::kVta), value(row, Profile::kTessera));
  }
  p.Line("    default: return 0;");
  p.Line("  }}");
  p.Line("}}");
}

void PrintMemoryFunctions(const Config& c, HlsPrinter& p) {
  p.Line("");
  PrintOfMemory(
      "memory_depth", "Tiles that a memory holds.",
      [&](const MemoryRow& row, Profile profile) { return c.Depth(row.memory, profile); }, p);
  PrintOfMemory(
      "memory_tile_bytes", "Bytes of one of its tiles in device memory.",
      [&](const MemoryRow& row, Profile profile) { return c.TileBytes(row.memory, profile); }, p);
  PrintOfMemory(
      "memory_least_bytes", "The fewest bytes of a tile that a LOAD may give.",
      [&](const MemoryRow& row, Profile profile) {
        return row.whole ? c.TileBytes(row.memory, profile) : 1;
      },
      p);
  PrintOfMemory(
      "memory_pads", "1: a LOAD may pad it.",
      [](const MemoryRow& row, Profile) { return row.pads ? 1 : 0; }, p);
}

// A condition that the value of |f| in instruction w has a meaning; "" if every value has one.
std::string LegalValue(const std::string& insn, const FieldRow& f, const Config& c) {
  const std::string value = fmt::format("{}_{}(w)", insn, f.name);
  const FieldValues& v = f.values;
  const std::string memory =
      v.field.empty() ? "" : fmt::format("(unsigned){}_{}(w), false", insn, v.field);
  switch (v.kind) {
    case ValuesKind::kAny:
    case ValuesKind::kNamed:
    case ValuesKind::kFlags:
      return "";
    case ValuesKind::kRange: {
      FieldRow free = f;
      free.values = Any();
      std::string text;
      if (v.least > LeastOf(free)) text = fmt::format("{} >= {}", value, v.least);
      if (v.greatest < GreatestOf(free)) {
        text += fmt::format("{}{} <= {}", text.empty() ? "" : " && ", value, v.greatest);
      }
      return text;
    }
    case ValuesKind::kEnum: {
      if (v.mask == Mask(1 << f.width)) return "";
      const std::string holds = fmt::format("(0x{:x}u >> (unsigned){} & 1) != 0", v.mask, value);
      return holds;
    }
    case ValuesKind::kTileBytes:
      if (memory.empty()) {
        return fmt::format("{0} >= {1} && {0} <= {2}", value,
                           RowOf(v.memory).whole ? c.TileBytes(v.memory) : 1,
                           c.TileBytes(v.memory));
      }
      return fmt::format("{0} >= memory_least_bytes({1}) && {0} <= memory_tile_bytes({1})", value,
                         memory);
    case ValuesKind::kPads:
      return fmt::format("({} == 0 || memory_pads({}) != 0)", value, memory);
  }
  return "";
}

void PrintLegal(const std::string& insn, const std::vector<FieldRow>& fields, const Config& c,
                HlsPrinter& p) {
  std::string all;
  for (const FieldRow& f : fields) {
    std::string legal = LegalValue(insn, f, c);
    if (const FieldTest& test = f.values.where; !legal.empty() && !test.field.empty()) {
      legal = fmt::format("({}_{}(w) {} {} || {})", insn, test.field,
                          test.equal ? "!=" : "==", test.value, legal);
    }
    if (!legal.empty()) all += (all.empty() ? "" : " &&\n         ") + legal;
  }
  p.Function("bool", insn + "_legal", fmt::format("const {}&{}", kInsn, all.empty() ? "" : " w"),
             all.empty() ? "true" : all, all.empty() ? "" : "every field has a meaning");
}

void PrintTessera(const Config& c, HlsPrinter& p) {
  const std::vector<InsnRow> insns = InsnsOf(Profile::kTessera);
  p.Line("");
  p.Line("// Profile tessera.");
  p.Int("InsnBytes", kInsnBytes);
  for (const InsnRow& i : insns) p.Int("Op" + std::string(i.name), i.opcode);
  p.Pick("insn_opcode", kInsn, kInsnBits,
         {.lsb = 0, .width = kOpcodeBits, .kind = FieldKind::kUnsigned});
  for (const FieldRow& f : FieldsOf(insns[0].name)) {
    if (f.name == "pop" || f.name == "push")
      p.Pick("insn_" + std::string(f.name), kInsn, kInsnBits, f);
  }
  for (const InsnRow& i : insns) {
    for (const FieldRow& f : FieldsOf(i.name)) {
      if (f.name != "pop" && f.name != "push")
        p.Pick(LowerSnake(i.name) + "_" + std::string(f.name), kInsn, kInsnBits, f);
    }
    PrintLegal(LowerSnake(i.name), FieldsOn(i.name, c), c, p);
  }
  p.Line("// Whether the opcode exists.");
  std::string known = fmt::format("insn_opcode(w) >= {} && insn_opcode(w) <= {}",
                                  insns.front().opcode, insns.back().opcode);
  for (const InsnRow& i : insns) {
    if (!HasInsn(i.name, c)) known += fmt::format(" && insn_opcode(w) != {}", i.opcode);
  }
  p.Function("bool", "insn_known", fmt::format("const {}& w", kInsn), known);
  p.Line("// Whether every bit that is set has a name.");
  p.Line("inline bool insn_named(const {}& w) {{", kInsn);
  p.Line("  switch ((unsigned)insn_opcode(w)) {{");
  for (const InsnRow& i : insns) {
    std::string all;
    const InsnWord named = NamedBits(i.name);
    for (size_t k = 0; k < named.size(); ++k) {
      if (~named[k] == 0) continue;
      all += fmt::format("{}(w.range({}, {}) & ap_uint<64>(0x{:016x}ULL)) == 0",
                         all.empty() ? "" : " && ", 64 * k + 63, 64 * k, ~named[k]);
    }
    p.Line("    case kOp{}: return {};", i.name, all.empty() ? "true" : all);
  }
  p.Line("    default: return false;");
  p.Line("  }}");
  p.Line("}}");
  p.Line("// The unit whose queue takes it; means nothing for FINISH.");
  p.Line("inline unsigned insn_unit(const {}& w) {{", kInsn);
  p.Line("  switch ((unsigned)insn_opcode(w)) {{");
  for (const InsnRow& i : insns) {
    if (i.unit == "kNone") continue;
    p.Line("    case kOp{}: return {};", i.name,
           i.unit == "kAny" ? "sync_unit(w)" : fmt::format("kUnit{}", NoK(i.unit)));
  }
  p.Line("    default: return 0;");
  p.Line("  }}");
  p.Line("}}");
  for (const FieldRow& f : kUopFields)
    p.Pick("uop_" + std::string(f.name), "uop_word", RowOf(Memory::kUop).element_bits, f);
  p.Function("bool", "uop_named", "const uop_word& w",
             fmt::format("(w & uop_word(0x{:016x}ULL)) == 0", ~NamedUopBits()),
             "every bit that is set has a name");
}

void PrintVta(const Config& c, HlsPrinter& p) {
  p.Line("");
  p.Line("// Profile vta of this configuration: instructions in the low {} bits.", kVtaInsnBits);
  p.Int("VtaInsnBytes", kVtaInsnBytes);
  const std::vector<InsnRow> insns = InsnsOf(Profile::kVta);
  for (const InsnRow& i : insns) p.Int("VtaOp" + std::string(i.name.substr(3)), i.opcode);
  p.Pick("vta_insn_opcode", kInsn, kVtaInsnBits,
         {.lsb = 0, .width = kVtaOpcodeBits, .kind = FieldKind::kUnsigned});
  const bool fits = ValidateVtaProfile(c).has_value();
  std::vector<FieldRow> fields = VtaFields(c);
  for (FieldRow& f : fields) {
    if (!fits) f.lsb = kVtaInsnBits;
    f.width = std::min(f.width, 64);
  }
  for (const FieldRow& f : VtaFieldsOf(fields, insns[0].name)) {
    if (f.name.starts_with("pop_") || f.name.starts_with("push_"))
      p.Pick("vta_insn_" + std::string(f.name), kInsn, kVtaInsnBits, f);
  }
  for (const FieldRow& f : fields) {
    if (f.name.starts_with("pop_") || f.name.starts_with("push_")) continue;
    const bool uop = f.insn == "VtaUop";
    p.Pick(LowerSnake(f.insn) + "_" + std::string(f.name), uop ? "vta_uop_word" : kInsn,
           uop ? kVtaUopBits : kVtaInsnBits, f);
  }
  for (const InsnRow& i : insns) PrintLegal(LowerSnake(i.name), VtaFieldsOf(fields, i.name), c, p);
}

}  // namespace

std::string PrintHlsHeader(const Config& config) {
  HlsPrinter p;
  p.Line("// SPDX-License-Identifier: Apache-2.0");
  p.Line("// Printed by isa_gen from isa/*.def for configuration {}; do not edit.", config.name);
  p.Line("// clang-format off");
  p.Line("#ifndef TSR_HLS_ISA_H_");
  p.Line("#define TSR_HLS_ISA_H_");
  p.Line("#include <ap_int.h>");
  p.Line("#ifdef TSR_HLS_NAMESPACE");
  p.Line("namespace TSR_HLS_NAMESPACE {{");
  p.Line("#endif");
  p.Line("");
  p.Line("typedef ap_uint<{}> {};", kInsnBits, kInsn);
  p.Line("typedef ap_uint<{}> uop_word;", RowOf(Memory::kUop).element_bits);
  p.Line("typedef ap_uint<{}> vta_uop_word;", kVtaUopBits);
  p.Line("");
  PrintShape(config, p);
  PrintMemories(config, p);
  PrintEnums(p);
  PrintMemoryFunctions(config, p);
  PrintTessera(config, p);
  PrintVta(config, p);
  p.Line("");
  p.Line("#ifdef TSR_HLS_NAMESPACE");
  p.Line("}}  // namespace TSR_HLS_NAMESPACE");
  p.Line("#endif");
  p.Line("#endif  // TSR_HLS_ISA_H_");
  return p.Take();
}

}  // namespace tessera::isa
