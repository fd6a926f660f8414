// SPDX-License-Identifier: Apache-2.0
#include "isa/vta_encoding.h"

#include "base/bits.h"
#include "base/check.h"

namespace tessera::isa {
namespace {

// Puts the values of |insn| at the places of |fields|.
template <typename T>
Status Put(const std::vector<FieldRow>& fields, const T& insn, VtaInsnWord& word) {
  size_t next = 0;
  Status status;
  ForEachField(insn, [&](const VtaFieldRow&, int64_t value) {
    const FieldRow& f = fields[next++];
    if (!Fits(f, value) && status) {
      status = Fail(Code::kOutOfRange, "{}.{} is {}, the field holds {} {} bits", f.insn, f.name,
                    value, f.width, f.kind == FieldKind::kSigned ? "signed" : "unsigned");
    }
    word[static_cast<size_t>(f.lsb / 64)] |= (static_cast<uint64_t>(value) & Mask(f.width))
                                             << (f.lsb % 64);
  });
  return status;
}

template <typename T>
T Get(const std::vector<FieldRow>& fields, const VtaInsnWord& word) {
  T insn;
  size_t next = 0;
  ForEachField(insn, [&](const VtaFieldRow&, int64_t& value) {
    const FieldRow& f = fields[next++];
    const uint64_t bits = (word[static_cast<size_t>(f.lsb / 64)] >> (f.lsb % 64)) & Mask(f.width);
    value = f.kind == FieldKind::kSigned ? SignExtend(bits, f.width) : static_cast<int64_t>(bits);
  });
  return insn;
}

}  // namespace

Result<VtaCodec> VtaCodec::Make(const Config& config) {
  TESSERA_TRY(ValidateVtaProfile(config));
  const std::vector<FieldRow> fields = VtaFields(config);
  VtaCodec codec;
#define VTA_INSN(name, opcode, summary) \
  codec.shapes_.push_back({#name, VtaFieldsOf(fields, #name)});
#include "isa/vta_insns.def"
  codec.shapes_.push_back({"VtaUop", VtaFieldsOf(fields, "VtaUop")});
  return codec;
}

const std::vector<FieldRow>& VtaCodec::FieldsOf(std::string_view insn) const {
  for (const InsnFields& shape : shapes_) {
    if (shape.insn == insn) return shape.fields;
  }
  TESSERA_CHECK(false, "no instruction {}", insn);
}

Result<VtaInsnWord> VtaCodec::Encode(const VtaInsn& insn) const {
  return std::visit(
      [&](const auto& one) -> Result<VtaInsnWord> {
        VtaInsnWord word{static_cast<uint64_t>(one.kOpcode), 0};
        TESSERA_TRY(Put(shapes_[insn.index()].fields, one, word));
        return word;
      },
      insn);
}

Result<VtaInsn> VtaCodec::Decode(const VtaInsnWord& word) const {
  const int opcode = static_cast<int>(word[0] & Mask(kVtaOpcodeBits));
  switch (opcode) {
#define VTA_INSN(name, code, summary) \
  case code:                          \
    return Get<name>(shapes_[VtaInsn(name{}).index()].fields, word);
#include "isa/vta_insns.def"
    default:
      return Fail(Code::kInvalidArgument, "opcode {} is not in profile vta", opcode);
  }
}

Result<uint32_t> VtaCodec::EncodeUop(const VtaUop& uop) const {
  VtaInsnWord word{};
  TESSERA_TRY(Put(shapes_.back().fields, uop, word));
  return static_cast<uint32_t>(word[0]);
}

VtaUop VtaCodec::DecodeUop(uint32_t word) const {
  return Get<VtaUop>(shapes_.back().fields, {word, 0});
}

}  // namespace tessera::isa
