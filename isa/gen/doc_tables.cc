// SPDX-License-Identifier: Apache-2.0
#include "isa/gen/doc_tables.h"

#include <string>
#include <vector>

#include "isa/costs.h"
#include "isa/gen/names.h"
#include "isa/insns.h"
#include "isa/memories.h"

namespace tessera::isa {
namespace {

std::string Upper(std::string_view text) { return UpperSnake(LowerSnake(text)); }

std::string Units(uint8_t mask) {
  std::string text;
  for (int u = 0; u < kUnits; ++u) {
    if ((mask >> u & 1) != 0)
      text += (text.empty() ? "" : ", ") + Upper(Text(static_cast<Unit>(u)));
  }
  return text;
}

std::string_view Side(TileSide side) {
  switch (side) {
    case TileSide::kOne:
      return "[1]";
    case TileSide::kFour:
      return "[4]";
    case TileSide::kBatch:
      return "[batch]";
    case TileSide::kBlockIn:
      return "[block of inputs]";
    case TileSide::kBlockOut:
      return "[block of outputs]";
  }
  return "";
}

std::string Element(const MemoryRow& row) {
  if (row.vta_element_bits != 0)
    return fmt::format("{} bits; {} in profile `vta`", row.element_bits, row.vta_element_bits);
  if (row.element_bits != 0) return fmt::format("int{}", row.element_bits);
  std::string text;
  for (const RecordField& f : kRecordFields) {
    if (f.memory != row.memory) continue;
    text += fmt::format("{}{}: {}{} bits in {} byte{}", text.empty() ? "" : ", ", f.name,
                        f.kind == FieldKind::kSigned ? "signed, " : "", f.bits, f.bytes,
                        f.bytes == 1 ? "" : "s");
  }
  return text;
}

// "y_pad_0 + y_size + y_pad_1".
std::string Trips(const LoopRow& loop) {
  std::string text;
  const auto term = [&](std::string_view sign, std::string_view name) {
    if (!name.empty()) text += fmt::format("{}`{}`", text.empty() ? "" : sign, name);
  };
  term(" + ", loop.before);
  term(" + ", loop.size);
  term(" - ", loop.minus);
  term(" + ", loop.after);
  if (loop.needs_size) text += fmt::format("; 0 if `{}` is 0", loop.size);
  return text;
}

std::string PlaceText(const OperandPlace& place) {
  switch (place.kind) {
    case PlaceKind::kMemory:
      return Upper(Text(static_cast<Memory>(place.index)));
    case PlaceKind::kMemoryField:
    case PlaceKind::kVectorField:
      return fmt::format("`{}`", place.field);
    case PlaceKind::kSegment:
      return fmt::format("segment {}", place.index);
    case PlaceKind::kSegmentField:
      return fmt::format("segment `{}`", place.field);
  }
  return "";
}

std::string AddressText(const OperandRow& row, const std::vector<LoopRow>& loops) {
  std::string text;
  const auto add = [&](const std::string& term) { text += (text.empty() ? "" : " + ") + term; };
  if (!row.base.empty()) add(std::string(row.base));
  if (!row.uop.empty()) add("u." + std::string(row.uop));
  bool dense = false;
  for (size_t l = 0; l < loops.size(); ++l) {
    const std::string_view stride = row.strides[l];
    if (stride == kDense) {
      dense = true;
    } else if (stride == kOneStep) {
      add(std::string(loops[l].name));
    } else if (stride != kStill) {
      add(fmt::format("{}*{}", loops[l].name, stride));
    }
  }
  if (dense) add("number of the step");
  if (text.empty()) text = "0";
  if (row.in_tiles) text = fmt::format("bytes of a tile * ({})", text);
  return "`" + text + "`";
}

std::string ExtentText(const OperandRow& row) {
  switch (row.extent) {
    case ExtentKind::kOne:
      return "1 tile";
    case ExtentKind::kField:
      return fmt::format("`{}` bytes", row.extent_field);
    case ExtentKind::kTile:
      return "a tile's bytes";
    case ExtentKind::kWhole:
      return "all of it";
    case ExtentKind::kTapTiles:
      return "1 tile for block taps";
  }
  return "";
}

// A value, by its name if the field has names.
std::string ValueText(std::string_view insn, const FieldTest& test) {
  for (const FieldRow& f : kFields) {
    if (f.insn != insn || f.name != test.field || f.values.type.empty()) continue;
    return std::string(EnumText(f.values.type, static_cast<int>(test.value)));
  }
  return fmt::format("{}", test.value);
}

std::string WhenText(const OperandRow& row) {
  std::string text;
  const auto add = [&](const std::string& term) { text += (text.empty() ? "" : ", ") + term; };
  for (const FieldTest& t : row.where) {
    if (t.field.empty()) continue;
    add(TestText(row.insn, t));
  }
  if (!row.not_first.empty())
    add(fmt::format("not in the first step on the tile if `{}`", row.not_first));
  if (!row.not_uop.empty()) add(fmt::format("not `u.{}`", row.not_uop));
  if (row.inside) add("not in pads");
  return text;
}

}  // namespace

std::string TestText(std::string_view insn, const FieldTest& test) {
  return fmt::format("`{}` is {}{}", test.field, test.equal ? "" : "not ", ValueText(insn, test));
}

void PrintMemories(Page& page) {
  page.Line(
      "\n| memory | tile | element | size | filled by | read by | banks | ports of a bank | LOAD "
      "|");
  page.Line("|---|---|---|---|---|---|---|---|---|");
  for (const MemoryRow& row : kMemoryRows) {
    std::string name = Upper(Text(row.memory));
    if (row.profiles != kBothProfiles) {
      name += fmt::format(" (`{}`)", ExistsIn(row.memory, Profile::kVta) ? "vta" : "tessera");
    }
    std::string load = row.whole ? "whole tiles" : "any part of a tile";
    load += row.pads ? ", pads" : ", no pads";
    std::string banks = fmt::format("{}", row.banks);
    if (row.banks > 1) banks += row.banked_by == BankedBy::kLowBits ? ", low bits" : ", high bits";
    if (row.lies_in) {
      page.Line("| {} | {}{} | {} | that of {} | {} | | | | {} |", name, Side(row.rows),
                Side(row.columns), Element(row), Upper(Text(*row.lies_in)), Units(row.filled_by),
                load);
      continue;
    }
    page.Line("| {} | {}{} | {} | `{}` | {} | {} | {} | {} read, {} write | {} |", name,
              Side(row.rows), Side(row.columns), Element(row), row.size, Units(row.filled_by),
              Units(row.read_by), banks, row.reads, row.writes, load);
  }
  for (const MemoryRow& row : kMemoryRows) {
    if (row.element_bits != 0) continue;
    std::string order;
    for (const RecordField& f : kRecordFields) {
      if (f.memory == row.memory)
        order += fmt::format("{}{} of every channel", order.empty() ? "" : ", then ", f.name);
    }
    page.Line("\nA record of {} is {}: {} bytes a channel, in all rounded up to the bus.",
              Upper(Text(row.memory)), order, RecordBytes(row.memory));
  }
}

void PrintNest(std::string_view insn, Page& page) {
  std::vector<LoopRow> loops;
  for (const LoopRow& l : kLoops) {
    if (l.insn == insn) loops.push_back(l);
  }
  if (loops.empty()) return;
  page.Line("| loop, outermost first | iterations | |\n|---|---|---|");
  for (const LoopRow& l : loops) {
    page.Line("| {} | {} |{}|", l.name, Trips(l),
              l.uops     ? " a micro-op each "
              : l.within ? " parts of one step "
                         : " ");
  }
  page.Line(
      "\n| operand | | where | address of a step | touches | when |\n|---|---|---|---|---|---|");
  for (const OperandRow& row : kOperands) {
    if (row.insn != insn) continue;
    const std::string when = WhenText(row);
    page.Line("| {} | {} | {} | {} | {} |{}|", row.name,
              row.use == OperandUse::kWrite ? "write" : "read", PlaceText(row.place),
              AddressText(row, loops), ExtentText(row), when.empty() ? " " : " " + when + " ");
  }
  page.Line("");
}

void PrintCosts(Page& page) {
  page.Line("\n## Cycles\n");
  page.Line("What is constant; waiting for tokens, banks and device memory comes on top.\n");
  page.Line("| unit | cycles | |\n|---|---|---|");
  for (const UnitRow& row : kUnitRows)
    page.Line("| {} | {} | {} |", Upper(Text(row.unit)), row.start, row.meaning);
  page.Line("\n| instruction | cycles | for |\n|---|---|---|");
  for (const StepRow& row : kStepRows)
    page.Line("| {} | {} | {} |", row.insn, row.cycles, row.meaning);
  page.Line("");
#define COST_CONST(name, cycles, meaning) \
  page.Line("- {} cycles {}", cycles, std::string_view(meaning));
#include "isa/units.def"
}

}  // namespace tessera::isa
