// SPDX-License-Identifier: Apache-2.0
#include "isa/gen/isa_doc.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "isa/config.h"
#include "isa/field_values.h"
#include "isa/gen/doc_page.h"
#include "isa/gen/doc_prose.h"
#include "isa/gen/doc_tables.h"
#include "isa/gen/names.h"
#include "isa/insns.h"
#include "isa/regs.h"
#include "isa/vta_layout.h"

namespace tessera::isa {
namespace {

std::string BitsText(int lsb, int width) {
  return width == 1 ? fmt::format("{}", lsb) : fmt::format("{}..{}", lsb + width - 1, lsb);
}

// The values of |f| with a meaning, as a cell of a table.
std::string ValuesCell(const FieldRow& f) {
  const FieldValues& v = f.values;
  std::string text = ValuesText(v, GreatestOf(f));
  if (!v.where.field.empty()) text += " where " + TestText(f.insn, v.where);
  switch (v.kind) {
    case ValuesKind::kAny:
    case ValuesKind::kRange:
      break;
    case ValuesKind::kEnum:
      break;
    case ValuesKind::kNamed:
      return fmt::format("number, or name of {}", v.type);
    case ValuesKind::kFlags:
      return fmt::format("bits of {}", v.type);
    case ValuesKind::kTileBytes:
      return "1 to a tile's bytes";
    case ValuesKind::kPads:
      return "0 for a memory without pads";
  }
  return text;
}

// A table of bits, lowest first, without the opcode if |opcode_bits| is 0.
void PrintBits(std::vector<FieldRow> rows, int opcode_bits, int opcode, Page& page) {
  std::sort(rows.begin(), rows.end(),
            [](const FieldRow& a, const FieldRow& b) { return a.lsb < b.lsb; });
  page.Line("| bits | field | width | | values | meaning |");
  page.Line("|---|---|---|---|---|---|");
  if (opcode_bits > 0)
    page.Line("| {} | opcode | {} | | {} | |", BitsText(0, opcode_bits), opcode_bits, opcode);
  for (const FieldRow& r : rows) {
    const std::string values = ValuesCell(r);
    page.Line("| {} | `{}` | {} |{}|{}| {} |", BitsText(r.lsb, r.width), r.name, r.width,
              r.kind == FieldKind::kSigned ? " signed " : " ",
              values.empty() ? " " : " " + values + " ", Plain(r.meaning));
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
  page.Line(
      "\ntokens: that a counter holds in profile `tessera`, where {} instructions wait in front of "
      "a "
      "unit; in profile",
      Config().QueueDepth(Profile::kTessera));
  page.Line("`vta` these are {} and {} in every configuration.", Config().TokenDepth(Profile::kVta),
            Config().QueueDepth(Profile::kVta));
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
  for (const InsnRow& row : kInsns) {
    if (row.profile != Profile::kTessera) continue;
    std::string who = fmt::format("unit {}", UpperSnake(NoK(row.unit)));
    if (row.unit == "kAny") who = "the unit it names";
    if (row.unit == "kNone") who = "no unit";
    page.Line("### {} ({})\n\n{}.\n", row.name, who, Plain(row.summary));
    page.Prose(ProseOf(row.name));
    if (!ProseOf(row.name).empty()) page.Line("");
    PrintNest(row.name, page);
    std::vector<FieldRow> rows;
    for (const FieldRow& f : kFields) {
      if (f.insn == row.name) rows.push_back(f);
    }
    PrintBits(std::move(rows), kOpcodeBits, row.opcode, page);
  }
  page.Line("### Micro-op of Gemm\n");
  PrintBits({std::begin(kUopFields), std::end(kUopFields)}, 0, 0, page);
}

void PrintVta(Page& page) {
  page.Line("## Profile `vta`");
  page.Prose(kVta);
  page.Line("");
  const std::vector<FieldRow> fields = VtaFields(Config());
  for (const InsnRow& row : kInsns) {
    if (row.profile != Profile::kVta) continue;
    page.Line("### {} (`vta`)\n\n{}.\n", row.name.substr(3), Plain(row.summary));
    PrintNest(row.name, page);
    PrintBits(VtaFieldsOf(fields, row.name), kVtaOpcodeBits, row.opcode, page);
  }
  page.Line("### Micro-op (`vta`)\n");
  PrintBits(VtaFieldsOf(fields, "VtaUop"), 0, 0, page);
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
  PrintMemories(page);
  PrintTessera(page);
  PrintVta(page);
  PrintCosts(page);
  PrintEnums(page);
  PrintRegs(page);
  page.Line("\n## Programs as text");
  page.Prose(kText);
  return page.Take();
}

}  // namespace tessera::isa
