// SPDX-License-Identifier: Apache-2.0
#include "isa/vta_layout.h"

#include "base/bits.h"

namespace tessera::isa {
namespace {

// Places fields one after another as GCC places C bit-fields whose type has |unit| bits.
class Packer {
 public:
  explicit Packer(int unit) : unit_(unit) {}
  void Start(int bit) { next_ = bit; }
  int Place(int width) {
    if (next_ / unit_ != (next_ + width - 1) / unit_) next_ = (next_ / unit_ + 1) * unit_;
    const int lsb = next_;
    next_ += width;
    return lsb;
  }

 private:
  int unit_;
  int next_ = 0;
};

int DepthBits(const Config& config, Memory memory) {
  return Log2Floor(static_cast<uint64_t>(config.Depth(memory, Profile::kVta)));
}

}  // namespace

std::vector<FieldRow> VtaFields(const Config& config) {
  using enum FieldKind;
  const int uop_bits = DepthBits(config, Memory::kUop);
  const int inp_bits = DepthBits(config, Memory::kInp);
  const int wgt_bits = DepthBits(config, Memory::kWgt);
  const int acc_bits = DepthBits(config, Memory::kAcc);
  std::vector<FieldRow> fields;
  Packer insn_packer(64);
  Packer uop_packer(kVtaUopBits);
#define VTA_INSN(insn, opcode, summary) insn_packer.Start(kVtaOpcodeBits);
#define VTA_FIELD(insn, name, width, kind, values, meaning) \
  fields.push_back({#insn, #name, insn_packer.Place(width), width, kind, values, meaning});
#define VTA_UOP_FIELD(name, width, meaning) \
  fields.push_back({"VtaUop", #name, uop_packer.Place(width), width, kUnsigned, Any(), meaning});
#include "isa/vta_insns.def"
  return fields;
}

std::vector<FieldRow> VtaFieldsOf(const std::vector<FieldRow>& fields, std::string_view insn) {
  std::vector<FieldRow> result;
  for (const FieldRow& f : fields) {
    if (f.insn == insn) result.push_back(f);
  }
  return result;
}

}  // namespace tessera::isa
