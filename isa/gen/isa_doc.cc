// SPDX-License-Identifier: Apache-2.0
#include "isa/gen/isa_doc.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "isa/config.h"
#include "isa/gen/doc_prose.h"
#include "isa/gen/names.h"
#include "isa/insns.h"
#include "isa/regs.h"
#include "isa/vta_layout.h"

namespace tessera::isa {
namespace {

class Page {
 public:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void Prose(std::string_view text) { text_ += text; }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// |text| of a table as Markdown shows it: its stars and bars are its own.
std::string Plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '*' || c == '|' || c == '_' || c == '<' || c == '`') out += '\\';
    out += c;
  }
  return out;
}

struct Row {
  std::string_view name;
  int lsb;
  int width;
  FieldKind kind;
  std::string_view meaning;
};

std::string BitsText(int lsb, int width) {
  return width == 1 ? fmt::format("{}", lsb) : fmt::format("{}..{}", lsb + width - 1, lsb);
}

// A table of bits, lowest first; without an opcode where |opcode_bits| is 0.
void PrintBits(std::vector<Row> rows, int opcode_bits, int opcode, Page& page) {
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.lsb < b.lsb; });
  page.Line("| bits | field | width | | meaning |");
  page.Line("|---|---|---|---|---|");
  if (opcode_bits > 0)
    page.Line("| {} | opcode | {} | | {} |", BitsText(0, opcode_bits), opcode_bits, opcode);
  for (const Row& r : rows) {
    page.Line("| {} | `{}` | {} |{}| {} |", BitsText(r.lsb, r.width), r.name, r.width,
              r.kind == FieldKind::kSigned ? " signed " : " ", Plain(r.meaning));
  }
  page.Line("");
}

void PrintConfigs(Page& page) {
  page.Line("\n## Configurations\n");
  page.Line(
      "| | batch x block | INP tiles | WGT | ACC | OUT | UOP (`tessera`) | UOP (`vta`) | PRM | bus "
      "| tokens | `vta` |");
  page.Line("|---|---|---|---|---|---|---|---|---|---|---|---|");
  for (const Config& c : NamedConfigs()) {
    page.Line("| {} | {} x {} | {} | {} | {} | {} | {} | {} | {} | {} bits | {} | {} |", c.name,
              c.batch, c.block_out, c.Depth(Memory::kInp), c.Depth(Memory::kWgt),
              c.Depth(Memory::kAcc), c.Depth(Memory::kOut), c.Depth(Memory::kUop),
              c.Depth(Memory::kUop, Profile::kVta), c.prm_depth, c.bus_bits, c.token_depth,
              ValidateVtaProfile(c) ? "yes" : "no");
  }
}

std::string_view ProseOf(std::string_view insn) {
  for (const InsnProse& p : kInsnProse) {
    if (p.insn == insn) return p.text;
  }
  return "";
}

void PrintTessera(Page& page) {
  page.Line("\n## Profile `tessera`");
  page.Prose(kTessera);
  page.Line("");
  const auto insn = [&](std::string_view name, int opcode, std::string_view unit,
                        std::string_view summary) {
    std::string who = fmt::format("unit {}", UpperSnake(NoK(unit)));
    if (unit == "kAny") who = "the unit it names";
    if (unit == "kNone") who = "no unit";
    page.Line("### {} ({})\n\n{}.\n", name, who, Plain(summary));
    page.Prose(ProseOf(name));
    if (!ProseOf(name).empty()) page.Line("");
    std::vector<Row> rows;
    for (const Field& f : kFields) {
      if (f.insn == name) rows.push_back({f.name, f.lsb, f.width, f.kind, f.meaning});
    }
    PrintBits(std::move(rows), kOpcodeBits, opcode, page);
  };
#define INSN(name, opcode, unit, summary) insn(#name, opcode, #unit, summary);
#include "isa/insns.def"
  page.Line("### Micro-op of Gemm\n");
  std::vector<Row> rows;
#define UOP_FIELD(name, lsb, width, meaning) \
  rows.push_back({#name, lsb, width, FieldKind::kUnsigned, meaning});
#include "isa/uops.def"
  PrintBits(std::move(rows), 0, 0, page);
}

void PrintVta(Page& page) {
  page.Line("## Profile `vta`");
  page.Prose(kVta);
  page.Line("");
  const std::vector<VtaField> fields = VtaFields(Config());
  const auto rows = [&](std::string_view name) {
    std::vector<Row> result;
    for (const VtaField& f : VtaFieldsOf(fields, name))
      result.push_back({f.name, f.lsb, f.width, f.kind, f.meaning});
    return result;
  };
#define VTA_INSN(name, opcode, summary)                                                    \
  page.Line("### {} (`vta`)\n\n{}.\n", std::string_view(#name).substr(3), Plain(summary)); \
  PrintBits(rows(#name), kVtaOpcodeBits, opcode, page);
#include "isa/vta_insns.def"
  page.Line("### Micro-op (`vta`)\n");
  PrintBits(rows("VtaUop"), 0, 0, page);
  page.Line(
      "In other configurations: `uop_bgn` has the bits of a UOP index and `uop_end` one more; "
      "`dst` factors and");
  page.Line(
      "`dst_idx` those of an ACC index; `src` factors of INP in Gemm and of ACC in Alu, `src_idx` "
      "the larger of the");
  page.Line("two; `wgt` factors and `wgt_idx` those of WGT.");
}

void PrintEnums(Page& page) {
  page.Line("\n## Names of values");
  std::string_view type;
  for (const EnumValue& e : kEnumValues) {
    if (e.type != type) {
      page.Line("\n**{}**\n\n| value | name | |\n|---|---|---|", e.type);
      type = e.type;
    }
    page.Line("| {} | {} | {} |", e.value, Plain(e.text), Plain(e.meaning));
  }
}

void PrintRegs(Page& page) {
  page.Line("\n## Registers");
  page.Prose(kRegisters);
  page.Line("\n| offset | register | | meaning |\n|---|---|---|---|");
  for (const RegInfo& r : kRegs) {
    const std::string where =
        r.array ? fmt::format("0x{:03x} + {} n, n < {}", r.offset, r.stride, r.count)
                : fmt::format("0x{:03x}", r.offset);
    page.Line("| {} | {} | {} | {} |", where, UpperSnake(r.name),
              r.access == RegAccess::kReadOnly ? "read only" : "read, write", Plain(r.meaning));
    for (const RegBitInfo& b : kRegBits) {
      if (b.reg != r.name) continue;
      page.Line("| | bits {} | {} | {} |", BitsText(b.lsb, b.width), UpperSnake(b.name),
                Plain(b.meaning));
    }
  }
  page.Line("");
#define REG_CONST(name, value, meaning) \
  page.Line("- `{}` = 0x{:08x}: {}", #name, static_cast<uint32_t>(value), Plain(meaning));
#include "isa/regs.def"
}

}  // namespace

std::string PrintIsaDoc() {
  Page page;
  page.Line("# Instruction set and registers");
  page.Prose(kIntroduction);
  PrintConfigs(page);
  page.Line("\n## Memories");
  page.Prose(kMemoryProse);
  PrintTessera(page);
  PrintVta(page);
  PrintEnums(page);
  PrintRegs(page);
  page.Line("\n## Programs as text");
  page.Prose(kText);
  return page.Take();
}

}  // namespace tessera::isa
