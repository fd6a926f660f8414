// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <mutex>
#include <span>

#include "compiler/ir/intrin.h"
#include "tests/compiler/lower/random_schedule.h"

namespace tessera::test {
namespace {

constexpr int64_t kCopied = 16;

// out[j] = p[j * step], of one type.
target::TensorIntrin Copy(DType dtype) {
  const std::string name = fmt::format("copy_{}", ir::DTypeName(dtype));
  const ir::Expr step = ir::Var("step"), count = ir::Var("count");
  const te::Tensor p = te::Placeholder("p", dtype, {kCopied});
  return {.name = name,
          .call = name,
          .behaviour =
              te::Compute("out", {kCopied}, {"j"}, [&](const auto& j) { return p(j[0] * step); }),
          .trailing = {step, count},
          .counts = {{"j", count}}};
}

void RegisterCopies() {
  static std::once_flag once;
  std::call_once(once, [] {
    using ir::OperandKind;
    for (const DType dtype : {DType::kInt8, DType::kInt32}) {
      ir::RegisterTileIntrin(
          {fmt::format("copy_{}", ir::DTypeName(dtype)),
           {OperandKind::kWrite, OperandKind::kRead, OperandKind::kValue, OperandKind::kValue},
           [](std::span<ir::TileOperand> o) -> Status {
             const int64_t step = o[2].value, last = (o[3].value - 1) * step;
             if (!o[0].Holds(o[3].value) || !o[1].Holds(1) || o[1].offset + last < 0 ||
                 o[1].offset + last >= o[1].array->size())
               return Fail(Code::kOutOfRange, "a copy leaves its buffer");
             for (int64_t j = 0; j < o[3].value; ++j)
               o[0].array->SetInt(o[0].offset + j, o[1].array->Int(o[1].offset + j * step));
             return {};
           }});
    }
  });
}

}  // namespace

std::shared_ptr<const target::Target> CopyingTarget() {
  static const auto copying = [] {
    RegisterCopies();
    target::Target t = *target::Interpreter();
    t.intrinsics = {Copy(DType::kInt8), Copy(DType::kInt32)};
    for (target::TargetMemory& m : t.memories) m.bytes = m.scope == ir::Scope::kAcc ? 16 : 0;
    return std::make_shared<const target::Target>(std::move(t));
  }();
  return copying;
}

}  // namespace tessera::test
