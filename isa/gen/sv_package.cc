// SPDX-License-Identifier: Apache-2.0
#include "isa/gen/sv_package.h"

#include <fmt/format.h>

#include <bit>
#include <string_view>
#include <vector>

#include "base/bits.h"
#include "isa/gen/names.h"
#include "isa/gen/sv_printer.h"
#include "isa/gen/table_words.h"
#include "isa/insns.h"
#include "isa/regs.h"
#include "isa/vta_layout.h"

namespace tessera::isa {
namespace {

// The widths of numbers in a LOAD or STORE that stays inside its scratchpad.
void PrintBoxBits(const Config& c, SvPrinter& p) {
  const BoxWidths box = WidthsOfBox(c);
  p.Line("  // Bits of what a LOAD or STORE says, in any scratchpad.");
  p.Int("BoxSizeBits", box.size, "a number of tiles");
  p.Int("BoxTileBits", box.tile, "a tile's index");
  p.Int("BoxTileBytesBits", box.tile_bytes, "the bytes of a tile in device memory");
  p.Int("BoxBytesBits", box.bytes, "a byte of all; more than 4 KiB have");
  p.Line(
      "  localparam int BoxBits = BoxBytesBits + BoxTileBits + BoxTileBytesBits + 4 * "
      "BoxSizeBits;");
}

void PrintConfig(const Config& c, SvPrinter& p) {
  p.Line("  // Configuration.");
  p.Int("Batch", c.batch, "rows of an activation tile");
  p.Int("BlockIn", c.block_in, "input channels of a tile");
  p.Int("BlockOut", c.block_out, "output channels of a tile; equals BlockIn");
  p.Int("Lanes", c.lanes(), "elements of an ACC or OUT tile: Batch x BlockOut");
  p.Int("ArrayPasses", c.array_passes, "of a micro-op through GEMM's array");
  p.Int("VectorPasses", c.vector_passes, "of a tile through VECTOR's lanes");
  p.Int("Depthwise", c.depthwise, "1: the machine has Depthwise");
  p.Int("DepthwiseTaps", c.depthwise_taps(), "window taps in a WGT tile of Depthwise");
  p.Int("BusBits", c.bus_bits, "AXI data width");
  p.Int("BusBytes", c.bus_bytes(), "");
  const int64_t tokens = c.TokenDepth(Profile::kTessera), vta_tokens = c.TokenDepth(Profile::kVta);
  p.Int("QueueDepth", c.QueueDepth(Profile::kTessera), "instructions waiting in front of a unit");
  p.Int("VtaQueueDepth", c.QueueDepth(Profile::kVta), "the same in profile vta");
  p.Int("TokenDepth", tokens, "tokens a counter holds");
  p.Int("TokenBits", IndexBits(tokens + 1), "width of a token counter");
  p.Int("VtaTokenDepth", vta_tokens, "tokens a counter holds in profile vta");
  p.Int("VtaTokenBits", IndexBits(std::max(tokens, vta_tokens) + 1),
        "width of a counter that profile vta has too");
  p.Line("  localparam logic [63:0] ConfigHash = 64'h{:016x};", c.Hash());
  const bool vta = ValidateVtaProfile(c).has_value();
  p.Line(
      "  localparam bit HasVta = 1'b{};  // whether VTA's encoding fits; else the vta_ functions "
      "give 0",
      vta ? 1 : 0);
  p.Blank();
  p.Int("IndexBits", TileIndexBits(c),
        "of a tile of the deepest scratchpad but UOP, and one for past it");
  p.Line("  // Scratchpads: tiles, bits of a tile index, bytes of a tile.");
  for (const MemoryRow& row : kMemoryRows) {
    if (row.lies_in) continue;
    const std::string name(NoK(NameOf(row.memory)));
    const int64_t depth = c.Depth(row.memory);
    p.Int(name + "Depth", depth, EnumMeaning("Memory", static_cast<int>(row.memory)));
    p.Int(name + "IdxBits", IndexBits(depth), "");
    p.Int(
        name + "TileBytes", c.TileBytes(row.memory),
        row.element_bits == 0 ? "a record in device memory: its bytes rounded up to the bus" : "");
    if (row.banks > 1) {
      p.Int(name + "Banks", row.banks,
            row.banked_by == BankedBy::kLowBits ? "by the low bits of the tile index"
                                                : "by the high bits of the tile index");
    }
    if (row.element_bits != 0) continue;
    p.Int(name + "Bytes", RecordBytes(row.memory) * c.SideLength(row.columns), "of a record");
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
  p.Int("VtaUopDepth", c.Depth(Memory::kUop, Profile::kVta), "micro-ops of profile vta");
  p.Int("VtaUopIdxBits", IndexBits(c.Depth(Memory::kUop, Profile::kVta)), "");
  p.Int("VtaUopTileBytes", c.TileBytes(Memory::kUop, Profile::kVta), "");
  PrintBoxBits(c, p);
}

void PrintEnums(SvPrinter& p) {
  for (const EnumRow& row : kEnums) {
    p.Blank();
    for (const EnumValue& e : kEnumValues) {
      if (e.type != row.type) continue;
      p.Const(fmt::format("{}_{}", row.prefix, UpperSnake(NoK(e.name))), row.bits,
              static_cast<uint64_t>(e.value), e.meaning);
    }
  }
}

// A mask over enum Memory: bit m stands for memory m.
void PrintMemoryMask(std::string_view name, std::string_view meaning, auto&& holds, SvPrinter& p) {
  uint64_t mask = 0;
  for (const MemoryRow& row : kMemoryRows) {
    if (holds(row)) mask |= uint64_t{1} << static_cast<int>(row.memory);
  }
  p.Const(name, 1 << FieldNamed("Load.memory").width, mask, meaning);
}

void PrintMemoryMasks(SvPrinter& p) {
  p.Line("  // Masks over MEM_*.");
  PrintMemoryMask(
      "MemWhole", "LOAD takes whole tiles only", [](const MemoryRow& row) { return row.whole; }, p);
  PrintMemoryMask(
      "MemPads", "LOAD can pad", [](const MemoryRow& row) { return row.pads; }, p);
}

std::string Hex256(const InsnWord& word) {
  return fmt::format("256'h{:016x}_{:016x}_{:016x}_{:016x}", word[3], word[2], word[1], word[0]);
}

// A condition in SystemVerilog that |value|, an expression of the field's width, has a meaning; ""
// if every value has one, or if the meaning depends on other fields.
std::string LegalText(const FieldRow& f, const std::string& value) {
  if (f.values.kind == ValuesKind::kRange) {
    const bool is_signed = f.kind == FieldKind::kSigned;
    const int64_t most = static_cast<int64_t>(Mask(is_signed ? f.width - 1 : f.width));
    std::string text;
    const auto bound = [&](const char* sign, int64_t limit) {
      text += fmt::format("{}{} {} {}{}'{}d{}", text.empty() ? "" : " && ",
                          is_signed ? "$signed(" + value + ")" : value, sign, limit < 0 ? "-" : "",
                          f.width, is_signed ? "s" : "", limit < 0 ? -limit : limit);
    };
    if (f.values.least > (is_signed ? -most - 1 : 0)) bound(">=", f.values.least);
    if (f.values.greatest < most) bound("<=", f.values.greatest);
    return text;
  }
  if (f.values.kind != ValuesKind::kEnum) return "";
  const uint64_t all = Mask(1 << f.width);
  if (f.values.mask == all) return "";
  if ((f.values.mask & (f.values.mask + 1)) == 0)  // the first few values
    return fmt::format("{} <= {}'d{}", value, f.width, std::popcount(f.values.mask) - 1);
  std::string text;
  for (int v = 0; v < 1 << f.width; ++v) {
    if ((f.values.mask >> v & 1) != 0)
      text += fmt::format("{}{} == {}'d{}", text.empty() ? "(" : " || ", value, f.width, v);
  }
  return text + ")";
}

// A function: does every field of an instruction have a meaning, by its own range or enumeration?
void PrintLegal(const std::string& insn, const std::vector<FieldRow>& fields, int bits,
                SvPrinter& p) {
  std::string condition;
  for (const FieldRow& f : fields) {
    std::string legal = LegalText(f, fmt::format("{}_{}(insn)", insn, f.name));
    if (legal.empty()) continue;
    const FieldTest& test = f.values.where;
    for (const FieldRow& other : fields) {
      if (other.name != test.field) continue;
      legal = fmt::format("({}_{}(insn) {} {}'d{} || {})", insn, other.name,
                          test.equal ? "!=" : "==", other.width, test.value, legal);
    }
    condition += condition.empty() ? legal : " &&\n      " + legal;
  }
  if (condition.empty()) return;
  p.Line("  // Whether every field has a meaning, as far as its range or enumeration says.");
  p.Line("  function automatic [0:0] {}_legal(input [{}:0] insn);", insn, bits - 1);
  p.Line("    {}_legal = {};", insn, condition);
  p.Line("  endfunction");
}

void PrintInsns(const Config& c, SvPrinter& p) {
  const std::vector<InsnRow> insns = InsnsOf(Profile::kTessera);
  p.Blank();
  p.Line("  // Profile tessera: 256-bit instructions.");
  p.Int("InsnBits", kInsnBits, "");
  p.Int("InsnBytes", kInsnBytes, "");
  for (const InsnRow& i : insns) {
    p.Const("OP_" + UpperSnake(i.name), kOpcodeBits, static_cast<uint64_t>(i.opcode), "");
  }
  p.Line("  // Bits that have a name; another one set is ERR_ILLEGAL_FIELD.");
  for (const InsnRow& i : insns) {
    p.Line("  localparam logic [255:0] NAMED_BITS_{} = {};", UpperSnake(i.name),
           Hex256(NamedBits(i.name)));
  }
  p.Pick("insn_opcode", 256, "insn", 0, kOpcodeBits, FieldKind::kUnsigned,
         "the same bits in every instruction");
  for (const FieldRow& f : kFields) {
    if (f.insn != insns[0].name || (f.name != "pop" && f.name != "push")) continue;
    p.Pick("insn_" + std::string(f.name), 256, "insn", f.lsb, f.width, f.kind, f.meaning);
  }
  p.Line("  // Whether the opcode exists.");
  p.Line("  function automatic [0:0] insn_known(input [255:0] insn);");
  p.Line("    case (insn[{}:0])", kOpcodeBits - 1);
  for (const InsnRow& i : InsnsOn(c)) p.Line("      OP_{}: insn_known = 1'b1;", UpperSnake(i.name));
  p.Line("      default: insn_known = 1'b0;");
  p.Line("    endcase");
  p.Line("  endfunction");
  p.Line("  // Named bits by opcode; of an unknown opcode, all.");
  p.Line("  function automatic [255:0] insn_named_bits(input [255:0] insn);");
  p.Line("    case (insn[{}:0])", kOpcodeBits - 1);
  for (const InsnRow& i : InsnsOn(c)) {
    p.Line("      OP_{0}: insn_named_bits = NAMED_BITS_{0};", UpperSnake(i.name));
  }
  p.Line("      default: insn_named_bits = {{256{{1'b1}}}};");
  p.Line("    endcase");
  p.Line("  endfunction");
  p.Line("  // The unit whose queue takes it; means nothing for OP_FINISH and unknown opcodes.");
  p.Line("  function automatic [1:0] insn_unit(input [255:0] insn);");
  p.Line("    case (insn[{}:0])", kOpcodeBits - 1);
  for (const InsnRow& i : insns) {
    if (i.unit == "kNone") continue;
    p.Line("      OP_{}: insn_unit = {};", UpperSnake(i.name),
           i.unit == "kAny" ? "sync_unit(insn)" : "UNIT_" + UpperSnake(NoK(i.unit)));
  }
  p.Line("      default: insn_unit = UNIT_LOAD;");
  p.Line("    endcase");
  p.Line("  endfunction");
  for (const FieldRow& f : kFields) {
    if (f.name == "pop" || f.name == "push") continue;
    p.Pick(LowerSnake(f.insn) + "_" + std::string(f.name), 256, "insn", f.lsb, f.width, f.kind,
           f.meaning);
  }
  for (const InsnRow& i : insns) PrintLegal(LowerSnake(i.name), FieldsOn(i.name, c), kInsnBits, p);
  p.Blank();
  p.Line("  // Profile tessera: micro-ops.");
  p.Line("  localparam logic [{0}:0] UOP_NAMED_BITS = {1}'h{2:016x};",
         RowOf(Memory::kUop).element_bits - 1, RowOf(Memory::kUop).element_bits, NamedUopBits());
  for (const FieldRow& f : kUopFields) {
    p.Pick(fmt::format("uop_{}", f.name), RowOf(Memory::kUop).element_bits, "uop", f.lsb, f.width,
           f.kind, f.meaning);
  }
}

void PrintVta(const Config& c, SvPrinter& p) {
  p.Blank();
  p.Line("  // Profile vta: 128-bit instructions and 32-bit micro-ops of this configuration.");
  p.Int("VtaInsnBits", kVtaInsnBits, "");
  p.Int("VtaInsnBytes", kVtaInsnBytes, "");
  const std::vector<InsnRow> insns = InsnsOf(Profile::kVta);
  for (const InsnRow& i : insns) {
    p.Const("VTA_OP_" + UpperSnake(i.name.substr(3)), kVtaOpcodeBits,
            static_cast<uint64_t>(i.opcode), "");
  }
  p.Pick("vta_insn_opcode", 128, "insn", 0, kVtaOpcodeBits, FieldKind::kUnsigned,
         "the same bits in every instruction");
  const bool fits = ValidateVtaProfile(c).has_value();
  const std::vector<FieldRow> fields = VtaFields(c);
  for (const FieldRow& f : VtaFieldsOf(fields, "VtaFinish")) {
    p.Pick("vta_insn_" + std::string(f.name), 128, "insn", f.lsb, f.width, f.kind, f.meaning);
  }
  for (const FieldRow& f : fields) {
    if (f.name.starts_with("pop_") || f.name.starts_with("push_")) continue;
    const bool uop = f.insn == "VtaUop";
    p.Pick(LowerSnake(f.insn) + "_" + std::string(f.name), uop ? kVtaUopBits : kVtaInsnBits,
           uop ? "uop" : "insn", fits ? f.lsb : kVtaInsnBits, f.width, f.kind, f.meaning);
  }
  for (const InsnRow& i : insns)
    PrintLegal(LowerSnake(i.name), VtaFieldsOf(fields, i.name), kVtaInsnBits, p);
}

void PrintRegs(SvPrinter& p) {
  p.Blank();
  p.Line(
      "  // Registers: byte offsets; of an array the first, count and stride; bits: lsb and "
      "width.");
  p.Line("  localparam int RegAddrBits = {};", Log2Floor(kRegWindowBytes));
  const auto hex = [&](const std::string& name, uint32_t offset, std::string_view meaning) {
    p.Line("  localparam logic [11:0] {} = 12'h{:03x};  // {}", name, offset, meaning);
  };
  for (const RegInfo& r : kRegs) {
    const std::string name = "REG_" + UpperSnake(r.name);
    hex(name, r.offset, r.meaning);
    if (r.array) {
      p.Int(name + "_COUNT", r.count, "");
      hex(name + "_STRIDE", r.stride, "");
    }
    for (const RegBitInfo& b : kRegBits) {
      if (b.reg != r.name) continue;
      p.Int(name + "_" + UpperSnake(b.name) + "_LSB", b.lsb, b.meaning);
      p.Int(name + "_" + UpperSnake(b.name) + "_WIDTH", b.width, "");
    }
  }
#define REG_CONST(name, value, meaning)                                                   \
  p.Line("  localparam logic [31:0] REG_{} = 32'h{:08x};  // {}", UpperSnake(NoK(#name)), \
         static_cast<uint32_t>(value), meaning);
#include "isa/regs.def"
}

// Removes empty comments and the blanks in front of them.
std::string WithoutEmptyComments(const std::string& text) {
  std::string out;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = text.find('\n', begin);
    std::string_view line(text.data() + begin, end - begin);
    if (line.ends_with("  // ")) line.remove_suffix(5);
    out += line;
    out += '\n';
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string PrintSvPackage(const Config& config) {
  SvPrinter p;
  p.Line("// SPDX-License-Identifier: Apache-2.0");
  p.Line("// Printed by isa_gen from isa/*.def for configuration {}; do not edit.", config.name);
  p.Line("// Field functions of an instruction take all its bits, and use some.");
  p.Line("/* verilator lint_off UNUSED */");
  p.Line("package tsr_pkg;");
  PrintConfig(config, p);
  PrintEnums(p);
  PrintMemoryMasks(p);
  PrintInsns(config, p);
  PrintVta(config, p);
  PrintRegs(p);
  p.Line("endpackage");
  p.Line("/* verilator lint_on UNUSED */");
  return WithoutEmptyComments(p.Take());
}

}  // namespace tessera::isa
