// SPDX-License-Identifier: Apache-2.0
//
// Functions of float32 (compiler/ir/functions.h) as functions of OpenCL C, one operation per line.
#include "compiler/ir/functions.h"

#include <fmt/format.h>

#include "base/check.h"
#include "compiler/codegen/opencl/emitter.h"

namespace tessera::codegen {
namespace {

using ir::real::RealOp;

class OpenClReals {
 public:
  std::string Literal(float x) {
    return fmt::format("as_float(0x{:08x}u)", std::bit_cast<uint32_t>(x));
  }
  std::string Literal(int32_t i) {
    return i == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(i);
  }
  std::string Literal(bool truth) { return truth ? "1" : "0"; }

  template <typename T>
  std::string Emit(RealOp op, std::initializer_list<std::string> operands, T) {
    const std::string &a = operands.begin()[0], &b = operands.end()[-1];
    const std::string value = op == RealOp::kSelect
                                  ? fmt::format("{} ? {} : {}", a, operands.begin()[1], b)
                                  : fmt::format(fmt::runtime(Form(op)), a, b);
    std::string name = fmt::format("v{}", count_++);
    text_ += fmt::format("  const {} {} = {};\n", std::is_same_v<T, float> ? "float" : "int", name,
                         value);
    return name;
  }
  const std::string& text() const { return text_; }

 private:
  static const char* Form(RealOp op) {
    switch (op) {
      case RealOp::kAdd:
        return "{} + {}";
      case RealOp::kSubtract:
        return "{} - {}";
      case RealOp::kMultiply:
        return "{} * {}";
      case RealOp::kDivide:
        return "{} / {}";
      case RealOp::kNegate:
        return "-{}";
      case RealOp::kAbsolute:
        return "fabs({})";
      case RealOp::kRoundDown:
        return "floor({})";
      case RealOp::kRoundNearest:
        return "rint({})";
      case RealOp::kRoot:
        return "sqrt({})";
      case RealOp::kLess:
        return "{} < {}";
      case RealOp::kEqual:
      case RealOp::kIntEqual:
        return "{} == {}";
      case RealOp::kBits:
        return "as_int({})";
      case RealOp::kOfBits:
        return "as_float({})";
      case RealOp::kWhole:
        return "(int){}";
      case RealOp::kOfWhole:
        return "(float){}";
      case RealOp::kIntAdd:  // wraps
        return "(int)((uint){} + (uint){})";
      case RealOp::kIntSubtract:
        return "(int)((uint){} - (uint){})";
      case RealOp::kShiftLeft:
        return "(int)((uint){} << {})";
      case RealOp::kShiftRight:
        return "{} >> {}";
      case RealOp::kIntAnd:
      case RealOp::kAnd:
        return "{} & {}";
      case RealOp::kIntOr:
      case RealOp::kOr:
        return "{} | {}";
      case RealOp::kNot:
        return "!{}";
      case RealOp::kSelect:
        break;
    }
    TESSERA_CHECK(false);
  }

  std::string text_;
  int count_ = 0;
};

}  // namespace

std::string FunctionName(ir::ScalarIntrin id) { return fmt::format("ts_{}", ir::InfoOf(id).name); }

std::string FunctionText(ir::ScalarIntrin id) {
  OpenClReals reals;
  std::vector<ir::real::Emitted<OpenClReals, float>> x;
  std::string parameters;
  for (int k = 0; k < ir::InfoOf(id).operands; ++k) {
    x.emplace_back(&reals, fmt::format("x{}", k));
    parameters += fmt::format("{}float x{}", k > 0 ? ", " : "", k);
  }
  const auto result = ir::FunctionOf<ir::real::Emitted<OpenClReals, float>>(id, x);
  return fmt::format("\nfloat {}({}) {{\n{}  return {};\n}}\n", FunctionName(id), parameters,
                     reals.text(), result.In(&reals));
}

}  // namespace tessera::codegen
