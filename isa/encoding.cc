// SPDX-License-Identifier: Apache-2.0
#include "isa/encoding.h"

#include "base/bits.h"
#include "base/check.h"

namespace tessera::isa {
namespace {

// The bits of T that its fields and its opcode occupy, word by word.
template <typename T>
constexpr InsnWord NamedBits() {
  InsnWord bits{Mask(kOpcodeBits), 0, 0, 0};
  for (const FieldRow& f : kFields) {
    if (f.insn == T::kName) bits[f.lsb / 64] |= Mask(f.width) << (f.lsb % 64);
  }
  return bits;
}

template <typename T>
Result<InsnWord> EncodeOne(const T& insn) {
  InsnWord word{static_cast<uint64_t>(T::kOpcode), 0, 0, 0};
  Status status;
  ForEachField(insn, [&](const FieldRow& f, int64_t value) {
    if (!Fits(f, value) && status) {
      status = Fail(Code::kOutOfRange, "{}.{} is {}, the field holds {} {} bits", f.insn, f.name,
                    value, f.width, f.kind == FieldKind::kSigned ? "signed" : "unsigned");
    }
    word[f.lsb / 64] |= (static_cast<uint64_t>(value) & Mask(f.width)) << (f.lsb % 64);
  });
  if (!status) return std::unexpected(status.error());
  return word;
}

template <typename T>
Result<Insn> DecodeOne(const InsnWord& word) {
  constexpr InsnWord kNamed = NamedBits<T>();
  for (int w = 0; w < 4; ++w) {
    if (const uint64_t stray = word[w] & ~kNamed[w]) {
      return Fail(Code::kInvalidArgument, "{}: bit {} is set but no field names it", T::kName,
                  w * 64 + Log2Floor(stray));
    }
  }
  T insn;
  ForEachField(insn, [&](const FieldRow& f, int64_t& value) {
    const uint64_t bits = (word[f.lsb / 64] >> (f.lsb % 64)) & Mask(f.width);
    value = f.kind == FieldKind::kSigned ? SignExtend(bits, f.width) : static_cast<int64_t>(bits);
  });
  return insn;
}

}  // namespace

Result<InsnWord> Encode(const Insn& insn) {
  return std::visit([](const auto& one) { return EncodeOne(one); }, insn);
}

Result<Insn> Decode(const InsnWord& word) {
  const int opcode = static_cast<int>(word[0] & Mask(kOpcodeBits));
  switch (opcode) {
#define INSN(name, code, unit, summary) \
  case code:                            \
    return DecodeOne<name>(word);
#include "isa/insns.def"
    default:
      return Fail(Code::kInvalidArgument, "opcode {} is not in profile tessera", opcode);
  }
}

Result<uint64_t> EncodeUop(const Uop& uop) {
  uint64_t word = 0;
#define UOP_FIELD(name, lsb, width, meaning)                                                      \
  if (uop.name < 0 || uop.name > static_cast<int64_t>(Mask(width))) {                             \
    return Fail(Code::kOutOfRange, "micro-op.{} is {}, the field holds {} bits", #name, uop.name, \
                width);                                                                           \
  }                                                                                               \
  word |= static_cast<uint64_t>(uop.name) << (lsb);
#include "isa/uops.def"
  return word;
}

Result<Uop> DecodeUop(uint64_t word) {
  Uop uop;
  uint64_t named = 0;
#define UOP_FIELD(name, lsb, width, meaning)                      \
  uop.name = static_cast<int64_t>((word >> (lsb)) & Mask(width)); \
  named |= Mask(width) << (lsb);
#include "isa/uops.def"
  if (const uint64_t stray = word & ~named) {
    return Fail(Code::kInvalidArgument, "micro-op: bit {} is set but no field names it",
                Log2Floor(stray));
  }
  return uop;
}

Unit UnitOf(const Insn& insn) {
  if (const Sync* sync = std::get_if<Sync>(&insn)) return static_cast<Unit>(sync->unit & 3);
  static constexpr Unit kAny = Unit::kLoad, kNone = Unit::kLoad;
  using enum Unit;
  switch (insn.index()) {
#define INSN(name, opcode, unit, summary) \
  case opcode - 1:                        \
    return unit;
#include "isa/insns.def"
    default:
      TESSERA_CHECK(false, "variant index {}", insn.index());
  }
}

}  // namespace tessera::isa
