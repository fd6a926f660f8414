// SPDX-License-Identifier: Apache-2.0
//
// The version of the instruction set: a hash of everything in the tables that a program or a
// machine depends on, so it changes by itself. Config::Hash includes it, so a program image runs
// only on a machine with the same tables. Depends on isa/insns.h, isa/memories.h, isa/regs.h. Used
// by isa/config.cc.
//
// The tables do not hold everything, for example not the arithmetic of an operation. Whoever
// changes such a thing raises kVersionValue in isa/regs.def; the hash includes it.
#ifndef TESSERA_ISA_VERSION_H_
#define TESSERA_ISA_VERSION_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "isa/insns.h"
#include "isa/memories.h"
#include "isa/regs.h"

namespace tessera::isa {

// Every table that gives an encoded program its meaning.
struct IsaTables {
  uint32_t version = reg::kVersionValue;
  std::span<const EnumValue> enums = kEnumValues;
  std::span<const InsnRow> insns = kInsns;
  std::span<const FieldRow> fields = kFields;
  std::span<const FieldRow> uop_fields = kUopFields;
  std::span<const VtaFieldRow> vta_fields = kVtaFields;
  std::span<const LoopRow> loops = kLoops;
  std::span<const OperandRow> operands = kOperands;
  std::span<const MemoryRow> memories = kMemoryRows;
  std::span<const RecordField> records = kRecordFields;
};

namespace version_internal {

class RowHasher {
 public:
  constexpr RowHasher& Number(int64_t value) {
    state_ = Mix64(state_ ^ static_cast<uint64_t>(value)) + 0x9e3779b97f4a7c15u;
    return *this;
  }
  constexpr RowHasher& Text(std::string_view text) {
    Number(static_cast<int64_t>(text.size()));
    uint64_t word = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      word = word << 8 | static_cast<uint8_t>(text[i]);
      if (i % 8 == 7) Number(static_cast<int64_t>(std::exchange(word, 0)));
    }
    return Number(static_cast<int64_t>(word));
  }
  constexpr RowHasher& Values(const FieldValues& v) {
    Number(static_cast<int>(v.kind)).Number(v.least).Number(v.greatest).Text(v.type);
    Number(v.mask).Text(v.field).Number(static_cast<int>(v.memory));
    return Text(v.where.field).Number(v.where.equal ? 1 : 0).Number(v.where.value);
  }
  constexpr RowHasher& Place(const OperandPlace& p) {
    return Number(static_cast<int>(p.kind)).Number(p.index).Text(p.field);
  }
  constexpr uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0;
};

}  // namespace version_internal

// Includes names, because they connect the tables. Leaves out meanings, banks, ports, costs and the
// assembly names of enumerators, because they change no result.
constexpr uint64_t HashOf(const IsaTables& t) {
  version_internal::RowHasher h;
  h.Number(t.version);
  for (const EnumValue& e : t.enums) h.Text(e.type).Text(e.name).Number(e.value);
  for (const InsnRow& i : t.insns) {
    h.Text(i.name).Number(static_cast<int>(i.profile)).Number(i.opcode).Text(i.unit);
  }
  for (const std::span<const FieldRow> fields : {t.fields, t.uop_fields}) {
    for (const FieldRow& f : fields) {
      h.Text(f.insn).Text(f.name).Number(f.lsb).Number(f.width);
      h.Number(static_cast<int>(f.kind)).Values(f.values);
    }
  }
  for (const VtaFieldRow& f : t.vta_fields) {
    h.Text(f.insn).Text(f.name).Text(f.width).Number(static_cast<int>(f.kind)).Values(f.values);
  }
  for (const LoopRow& l : t.loops) {
    h.Text(l.insn).Text(l.name).Text(l.size).Text(l.minus).Text(l.before).Text(l.after);
    h.Number(l.needs_size).Number(l.uops).Number(l.within);
  }
  for (const OperandRow& o : t.operands) {
    h.Text(o.insn).Text(o.name).Place(o.place).Number(static_cast<int>(o.use)).Text(o.base);
    h.Text(o.uop).Number(static_cast<int>(o.extent)).Text(o.extent_field).Number(o.inside);
    h.Number(o.in_tiles).Place(o.tile_of).Text(o.not_first).Text(o.not_uop);
    for (const std::string_view stride : o.strides) h.Text(stride);
    for (const FieldTest& w : o.where) h.Text(w.field).Number(w.equal).Number(w.value);
  }
  for (const MemoryRow& m : t.memories) {
    h.Number(static_cast<int>(m.memory)).Text(m.size).Number(m.profiles);
    h.Number(static_cast<int>(m.lies_in.value_or(m.memory))).Number(static_cast<int>(m.rows));
    h.Number(static_cast<int>(m.columns)).Number(m.element_bits).Number(m.vta_element_bits);
    h.Number(m.whole).Number(m.pads);
  }
  for (const RecordField& f : t.records) {
    h.Number(static_cast<int>(f.memory)).Text(f.name).Number(f.bits);
    h.Number(static_cast<int>(f.kind)).Number(f.bytes);
  }
  return h.value();
}

inline constexpr uint64_t kIsaHash = HashOf(IsaTables{});

}  // namespace tessera::isa

#endif  // TESSERA_ISA_VERSION_H_
