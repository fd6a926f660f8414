// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/fields.h"

#include <string>

#include "isa/field_values.h"

namespace tessera::isa {
namespace {

template <typename... Args>
Stop Illegal(fmt::format_string<Args...> format, Args&&... args) {
  return StopWith(MachineError::kIllegalField, format, std::forward<Args>(args)...);
}

// The memory to whose tiles the rule applies.
template <typename T>
Memory MemoryOfRule(const T& insn, const FieldValues& values) {
  if (values.field.empty()) return values.memory;
  int64_t memory = 0;
  ForEachField(insn, [&](const auto& row, int64_t value) {
    if (row.name == values.field) memory = value;
  });
  return static_cast<Memory>(memory);
}

template <typename T>
bool Holds(const T& insn, const FieldValues& values) {
  const FieldTest& test = values.where;
  bool holds = test.field.empty();
  ForEachField(insn, [&](const auto& row, int64_t value) {
    if (row.name == test.field) holds = (value == test.value) == test.equal;
  });
  return holds;
}

// " where dst_mem is acc", " unless x_size is 0"; "" for a rule that always holds.
template <typename T>
std::string WhereText(const T& insn, const FieldTest& test) {
  std::string text;
  ForEachField(insn, [&](const auto& row, int64_t) {
    if (row.name != test.field) return;
    text = fmt::format(" {} {} is {}", test.equal ? "where" : "unless", row.name,
                       row.values.type.empty()
                           ? fmt::format("{}", test.value)
                           : EnumText(row.values.type, static_cast<int>(test.value)));
  });
  return text;
}

// ", on a machine without tab"; "" if the values of |row| are those of every machine.
std::string LackText(const FieldRow& row, const Config& config) {
  const std::optional<Memory> lack = LackOf(row, config);
  return lack ? fmt::format(", on a machine without {}", Text(*lack)) : "";
}
std::string LackText(const VtaFieldRow&, const Config&) { return ""; }

FieldValues ValuesOn(const VtaFieldRow& row, const Config&) { return row.values; }

// Checks one field against its line of the table. Fields come after the one that names the memory.
template <typename T>
Stop CheckField(const T& insn, const auto& row, int64_t value, const Config& config) {
  const FieldValues v = ValuesOn(row, config);
  switch (v.kind) {
    case ValuesKind::kAny:
    case ValuesKind::kNamed:
    case ValuesKind::kFlags:
      return {};
    case ValuesKind::kRange:
      if ((value >= v.least && value <= v.greatest) || !Holds(insn, v)) return {};
      return Illegal("{} is {}, must be {}{}{}", row.name, value, ValuesText(v, GreatestOf(row)),
                     WhereText(insn, v.where), LackText(row, config));
    case ValuesKind::kEnum: {
      if ((v.mask >> value & 1) != 0 || !Holds(insn, v)) return {};
      const std::string_view name = EnumText(v.type, static_cast<int>(value));
      const std::string all = ValuesText(v, 0) + WhereText(insn, v.where) + LackText(row, config);
      if (name == "?") return Illegal("{} is {}, must be {}", row.name, value, all);
      return Illegal("{} is {}, must be {}", row.name, name, all);
    }
    case ValuesKind::kTileBytes: {
      const Memory memory = MemoryOfRule(insn, v);
      const int64_t bytes = config.TileBytes(memory);
      const int64_t least = RowOf(memory).whole ? bytes : 1;
      if (value >= least && value <= bytes) return {};
      return Illegal("{} is {}, must be {} to {}", row.name, value, least, bytes);
    }
    case ValuesKind::kPads: {
      if (value == 0) return {};
      const Memory memory = MemoryOfRule(insn, v);
      if (RowOf(memory).pads) return {};
      return Illegal("a load of {} has pads, which that memory does not take", Text(memory));
    }
  }
  return {};
}

template <typename T>
Stop Check(const T& insn, const Config& config) {
  Stop stop;
  ForEachField(insn, [&](const auto& row, int64_t value) {
    if (!stop) stop = CheckField(insn, row, value, config);
  });
  return stop;
}

}  // namespace

Stop CheckTokens(const Insn& insn) {
  if (const Finish* finish = std::get_if<Finish>(&insn)) {
    if (finish->pop == 0 && finish->push == 0) return {};
    return Illegal("finish has tokens (pop {}, push {}), it belongs to no unit", finish->pop,
                   finish->push);
  }
  const Unit unit = UnitOf(insn);
  const int64_t own = int64_t{1} << static_cast<int>(unit);
  return std::visit(
      [&](const auto& one) -> Stop {
        if (((one.pop | one.push) & own) == 0) return {};
        return Illegal("unit {} pops from or pushes to itself", Text(unit));
      },
      insn);
}

Stop CheckTokens(const VtaInsn& insn) {
  bool has_prev = true, has_next = true;
  if (const VtaLoad* load = std::get_if<VtaLoad>(&insn)) {
    const Memory memory = static_cast<Memory>(load->memory_type);
    has_prev = memory != Memory::kInp && memory != Memory::kWgt;
  }
  if (std::holds_alternative<VtaStore>(insn)) has_next = false;
  return std::visit(
      [&](const auto& one) -> Stop {
        if (!has_prev && (one.pop_prev || one.push_prev))
          return Illegal("load has no stage before it to token with");
        if (!has_next && (one.pop_next || one.push_next))
          return Illegal("store has no stage after it to token with");
        return {};
      },
      insn);
}

Stop CheckFields(const Insn& insn, const Config& config) {
  return std::visit([&](const auto& one) { return Check(one, config); }, insn);
}

Stop CheckFields(const VtaInsn& insn, const Config& config) {
  return std::visit([&](const auto& one) { return Check(one, config); }, insn);
}

}  // namespace tessera::isa
