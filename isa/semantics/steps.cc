// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/insn_text.h"
#include "isa/semantics/fetch.h"

namespace tessera::isa {
namespace {

int64_t Product(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors) product *= factor;  // at most 2^57: see the widths in the tables
  return product;
}

int64_t StepsOf(const Load& i) {
  return Product({i.z_size, i.y_pad_0 + i.y_size + i.y_pad_1, i.x_pad_0 + i.x_size + i.x_pad_1});
}
int64_t StepsOf(const Store& i) { return Product({i.z_size, i.y_size, i.x_size}); }
int64_t StepsOf(const Gemm& i) { return Product({i.iter_out, i.iter_in, i.uop_count}); }
int64_t StepsOf(const Depthwise& i) { return Product({i.iter_z, i.iter_out, i.iter_in}); }
int64_t StepsOf(const Requant& i) { return Product({i.iter_out, i.iter_in}); }
int64_t StepsOf(const Add& i) { return Product({i.iter_out, i.iter_in}); }
int64_t StepsOf(const Alu& i) { return Product({i.iter_out, i.iter_in, i.red_out, i.red_in}); }
int64_t StepsOf(const VtaLoad& i) {
  return i.x_size == 0
             ? 0
             : Product({i.y_pad_0 + i.y_size + i.y_pad_1, i.x_pad_0 + i.x_size + i.x_pad_1});
}
int64_t StepsOf(const VtaStore& i) { return Product({i.y_size, i.x_size}); }
int64_t Micro(int64_t begin, int64_t end) { return end > begin ? end - begin : 0; }
int64_t StepsOf(const VtaGemm& i) {
  return Product({i.iter_out, i.iter_in, Micro(i.uop_bgn, i.uop_end)});
}
int64_t StepsOf(const VtaAlu& i) {
  return Product({i.iter_out, i.iter_in, Micro(i.uop_bgn, i.uop_end)});
}
int64_t StepsOf(const Sync&) { return 0; }
int64_t StepsOf(const Finish&) { return 0; }
int64_t StepsOf(const VtaFinish&) { return 0; }

}  // namespace

std::string Describe(const AnyInsn& insn) {
  return std::visit([](const auto& profile) { return InsnText(profile); }, insn);
}

int64_t Steps(const AnyInsn& insn) {
  return std::visit(
      [](const auto& profile) {
        return std::visit([](const auto& one) { return StepsOf(one); }, profile);
      },
      insn);
}

}  // namespace tessera::isa
