// SPDX-License-Identifier: Apache-2.0
#include "isa/gen/sv_package.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/bits.h"
#include "isa/gen/names.h"
#include "isa/insns.h"
#include "isa/regs.h"
#include "isa/vta_layout.h"

namespace tessera::isa {
namespace {

// Bits of an index into |count| things; at least one.
int IndexBits(int64_t count) {
  return count <= 2 ? 1 : 64 - std::countl_zero(static_cast<uint64_t>(count - 1));
}

class SvPrinter {
 public:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void Blank() { text_ += '\n'; }
  void Int(std::string_view name, int64_t value, std::string_view meaning) {
    Line("  localparam int {} = {};  // {}", name, value, meaning);
  }
  void Const(std::string_view name, int width, uint64_t value, std::string_view meaning) {
    Line("  localparam logic [{}:0] {} = {}'d{};  // {}", width - 1, name, width, value, meaning);
  }
  // A function that picks bits out of a word.
  void Pick(std::string_view name, int word_bits, std::string_view word, int lsb, int width,
            FieldKind kind, std::string_view meaning) {
    Line("  // {}", meaning);
    Line("  function automatic {}[{}:0] {}(input [{}:0] {});",
         kind == FieldKind::kSigned ? "signed " : "", width - 1, name, word_bits - 1, word);
    if (lsb + width <= word_bits) {
      Line("    {} = {}[{}:{}];", name, word, lsb + width - 1, lsb);
    } else {
      Line("    {} = {}'d0;", name, width);
    }
    Line("  endfunction");
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

void PrintConfig(const Config& c, SvPrinter& p) {
  p.Line("  // Configuration.");
  p.Int("Batch", c.batch, "rows of an activation tile");
  p.Int("BlockIn", c.block_in, "input channels of a tile");
  p.Int("BlockOut", c.block_out, "output channels of a tile; equals BlockIn");
  p.Int("Lanes", c.lanes(), "elements of an ACC or OUT tile: Batch x BlockOut");
  p.Int("DepthwiseTaps", c.depthwise_taps(), "window taps a cycle in Depthwise");
  p.Int("BusBits", c.bus_bits, "AXI data width");
  p.Int("BusBytes", c.bus_bytes(), "");
  p.Int("QueueDepth", c.queue_depth, "instructions waiting in front of a unit");
  p.Int("TokenDepth", c.token_depth, "tokens a counter holds");
  p.Int("TokenBits", IndexBits(c.token_depth + 1), "width of a token counter");
  p.Line("  localparam logic [63:0] ConfigHash = 64'h{:016x};", c.Hash());
  const bool vta = ValidateVtaProfile(c).has_value();
  p.Line(
      "  localparam bit HasVta = 1'b{};  // whether VTA's encoding fits; else the vta_ functions "
      "give 0",
      vta ? 1 : 0);
  p.Blank();
  p.Line("  // Scratchpads: tiles, bits of a tile index, bytes of a tile.");
  struct Ram {
    Memory memory;
    std::string_view name;
    std::string_view what;
  };
  static constexpr Ram kRams[] = {
      {Memory::kInp, "Inp", "tiles of Batch x BlockIn int8"},
      {Memory::kWgt, "Wgt", "tiles of BlockOut x BlockIn int8"},
      {Memory::kAcc, "Acc", "tiles of Batch x BlockOut int32"},
      {Memory::kOut, "Out", "tiles of Batch x BlockOut int8"},
      {Memory::kUop, "Uop", "64-bit words: one micro-op, or two of profile vta"},
      {Memory::kPrm, "Prm", "records of BlockOut channels"}};
  for (const Ram& ram : kRams) {
    const int64_t depth = c.Depth(ram.memory);
    p.Int(fmt::format("{}Depth", ram.name), depth, ram.what);
    p.Int(fmt::format("{}IdxBits", ram.name), IndexBits(depth), "");
    p.Int(fmt::format("{}TileBytes", ram.name), c.TileBytes(ram.memory),
          ram.memory == Memory::kPrm ? "a record in device memory: PrmBytes rounded up to the bus"
                                     : "");
  }
  p.Int("PrmBytes", 9 * c.block_out,
        "a record: BlockOut biases, multipliers (32 bits each), shifts (8 bits)");
  p.Int("VtaUopDepth", c.Depth(Memory::kUop, Profile::kVta), "micro-ops of 32 bits");
  p.Int("VtaUopIdxBits", IndexBits(c.Depth(Memory::kUop, Profile::kVta)), "");
  p.Int("AccBanks", 4, "by the high bits of the tile index");
  p.Int("OutBanks", 4, "by the high bits of the tile index");
  p.Int("InpBanks", 4, "by the low bits of the tile index");
}

void PrintEnums(SvPrinter& p) {
  struct Width {
    std::string_view type;
    std::string_view prefix;
    int width;
  };
  static constexpr Width kWidths[] = {{"Unit", "UNIT", 2},         {"Memory", "MEM", 3},
                                      {"VectorMemory", "VMEM", 2}, {"AluOp", "ALU", 3},
                                      {"Round", "ROUND", 2},       {"Profile", "PROFILE", 1},
                                      {"MachineError", "ERR", 8}};
  for (const Width& w : kWidths) {
    p.Blank();
    for (const EnumValue& e : kEnumValues) {
      if (e.type != w.type) continue;
      p.Const(fmt::format("{}_{}", w.prefix, UpperSnake(NoK(e.name))), w.width,
              static_cast<uint64_t>(e.value), e.meaning);
    }
  }
}

std::string Hex256(const InsnWord& word) {
  return fmt::format("256'h{:016x}_{:016x}_{:016x}_{:016x}", word[3], word[2], word[1], word[0]);
}

struct InsnLine {
  std::string_view name;
  int opcode;
  std::string_view unit;
  std::string_view summary;
};
constexpr InsnLine kInsns[] = {
#define INSN(name, opcode, unit, summary) {#name, opcode, #unit, summary},
#include "isa/insns.def"
};

InsnWord NamedBits(std::string_view insn) {
  InsnWord bits{Mask(kOpcodeBits), 0, 0, 0};
  for (const Field& f : kFields) {
    if (f.insn == insn) bits[f.lsb / 64] |= Mask(f.width) << (f.lsb % 64);
  }
  return bits;
}

void PrintInsns(SvPrinter& p) {
  p.Blank();
  p.Line("  // Profile tessera: 256-bit instructions.");
  p.Int("InsnBits", kInsnBits, "");
  p.Int("InsnBytes", kInsnBytes, "");
  for (const InsnLine& i : kInsns) {
    p.Const("OP_" + UpperSnake(i.name), kOpcodeBits, static_cast<uint64_t>(i.opcode), "");
  }
  p.Line("  // Bits that have a name; another one set is ERR_ILLEGAL_FIELD.");
  for (const InsnLine& i : kInsns) {
    p.Line("  localparam logic [255:0] NAMED_BITS_{} = {};", UpperSnake(i.name),
           Hex256(NamedBits(i.name)));
  }
  p.Pick("insn_opcode", 256, "insn", 0, kOpcodeBits, FieldKind::kUnsigned,
         "the same bits in every instruction");
  for (const Field& f : kFields) {
    if (f.insn != kInsns[0].name || (f.name != "pop" && f.name != "push")) continue;
    p.Pick("insn_" + std::string(f.name), 256, "insn", f.lsb, f.width, f.kind, f.meaning);
  }
  p.Line("  // Whether the opcode exists.");
  p.Line("  function automatic [0:0] insn_known(input [255:0] insn);");
  p.Line("    case (insn[{}:0])", kOpcodeBits - 1);
  for (const InsnLine& i : kInsns) p.Line("      OP_{}: insn_known = 1'b1;", UpperSnake(i.name));
  p.Line("      default: insn_known = 1'b0;");
  p.Line("    endcase");
  p.Line("  endfunction");
  p.Line("  // Named bits by opcode; of an unknown opcode, all.");
  p.Line("  function automatic [255:0] insn_named_bits(input [255:0] insn);");
  p.Line("    case (insn[{}:0])", kOpcodeBits - 1);
  for (const InsnLine& i : kInsns) {
    p.Line("      OP_{0}: insn_named_bits = NAMED_BITS_{0};", UpperSnake(i.name));
  }
  p.Line("      default: insn_named_bits = {{256{{1'b1}}}};");
  p.Line("    endcase");
  p.Line("  endfunction");
  p.Line("  // The unit whose queue takes it; means nothing for OP_FINISH and unknown opcodes.");
  p.Line("  function automatic [1:0] insn_unit(input [255:0] insn);");
  p.Line("    case (insn[{}:0])", kOpcodeBits - 1);
  for (const InsnLine& i : kInsns) {
    if (i.unit == "kNone") continue;
    p.Line("      OP_{}: insn_unit = {};", UpperSnake(i.name),
           i.unit == "kAny" ? "sync_unit(insn)" : "UNIT_" + UpperSnake(NoK(i.unit)));
  }
  p.Line("      default: insn_unit = UNIT_LOAD;");
  p.Line("    endcase");
  p.Line("  endfunction");
  for (const Field& f : kFields) {
    if (f.name == "pop" || f.name == "push") continue;
    p.Pick(LowerSnake(f.insn) + "_" + std::string(f.name), 256, "insn", f.lsb, f.width, f.kind,
           f.meaning);
  }
  p.Blank();
  p.Line("  // Profile tessera: 64-bit micro-ops.");
#define UOP_FIELD(name, lsb, width, meaning) \
  p.Pick("uop_" #name, 64, "uop", lsb, width, FieldKind::kUnsigned, meaning);
#include "isa/uops.def"
}

void PrintVta(const Config& c, SvPrinter& p) {
  p.Blank();
  p.Line("  // Profile vta: 128-bit instructions and 32-bit micro-ops of this configuration.");
  p.Int("VtaInsnBits", kVtaInsnBits, "");
  p.Int("VtaInsnBytes", kVtaInsnBytes, "");
#define VTA_INSN(name, opcode, summary) \
  p.Const("VTA_OP_" + UpperSnake(std::string_view(#name).substr(3)), kVtaOpcodeBits, opcode, "");
#include "isa/vta_insns.def"
  p.Pick("vta_insn_opcode", 128, "insn", 0, kVtaOpcodeBits, FieldKind::kUnsigned,
         "the same bits in every instruction");
  const bool fits = ValidateVtaProfile(c).has_value();
  const std::vector<VtaField> fields = VtaFields(c);
  for (const VtaField& f : VtaFieldsOf(fields, "VtaFinish")) {
    p.Pick("vta_insn_" + std::string(f.name), 128, "insn", f.lsb, f.width, f.kind, f.meaning);
  }
  for (const VtaField& f : fields) {
    if (f.name.starts_with("pop_") || f.name.starts_with("push_")) continue;
    const bool uop = f.insn == "VtaUop";
    p.Pick(LowerSnake(f.insn) + "_" + std::string(f.name), uop ? kVtaUopBits : kVtaInsnBits,
           uop ? "uop" : "insn", fits ? f.lsb : kVtaInsnBits, f.width, f.kind, f.meaning);
  }
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

// Empty comments and the blanks in front of them.
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
  PrintInsns(p);
  PrintVta(config, p);
  PrintRegs(p);
  p.Line("endpackage");
  p.Line("/* verilator lint_on UNUSED */");
  return WithoutEmptyComments(p.Take());
}

}  // namespace tessera::isa
