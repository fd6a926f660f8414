// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/print.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "compiler/ir/layout.h"

namespace tessera::ir {
namespace {

class IrPrinter {
 public:
  std::string Text(const Func& func) {
    std::string text = fmt::format("func {}(", func.name);
    for (size_t i = 0; i < func.params.size(); ++i) {
      text += (i ? ",\n     " : "") + Declaration(func.params[i]);
    }
    return text + ") {\n" + Text(func.body, 1) + "}\n";
  }

  std::string Text(const Stmt& s, int depth) {
    const std::string pad(2 * depth, ' ');
    switch (s->kind) {
      case StmtKind::kFor: {
        const std::string bounds = fmt::format("[{}, {})", Text(s->min), Text(s->min, s->extent));
        const std::string kind =
            s->loop == LoopKind::kSerial ? "" : fmt::format(" {}", LoopKindName(s->loop));
        return fmt::format("{}for {} in {}{} {{\n{}{}}}\n", pad, Name(s->var.get(), s->var->name),
                           bounds, kind, Text(s->body[0], depth + 1), pad);
      }
      case StmtKind::kIf: {
        std::string text = fmt::format("{}if {} {{\n{}{}}}", pad, Text(s->value),
                                       Text(s->body[0], depth + 1), pad);
        if (s->body.size() > 1) {
          text += fmt::format(" else {{\n{}{}}}", Text(s->body[1], depth + 1), pad);
        }
        return text + "\n";
      }
      case StmtKind::kSeq: {
        std::string text;
        for (const Stmt& b : s->body) text += Text(b, depth);
        return text;
      }
      case StmtKind::kStore:
        return fmt::format("{}{} = {};\n", pad, Access(s->buffer, s->indices), Text(s->value));
      case StmtKind::kAlloc: {
        const std::string declaration = Declaration(s->buffer);
        return fmt::format("{}alloc {} {{\n{}{}}}\n", pad, declaration, Text(s->body[0], depth + 1),
                           pad);
      }
      case StmtKind::kEval:
        return fmt::format("{}eval {};\n", pad, Text(s->value));
      case StmtKind::kPrefetch:
        return fmt::format("{}prefetch {};\n", pad, Access(s->buffer, s->indices));
    }
    return "";
  }

  std::string Text(const Expr& e) {
    switch (e->kind) {
      case ExprKind::kImm:
        return Constant(*e);
      case ExprKind::kVar:
        return Name(e.get(), e->name) +
               (e.dtype() == DType::kInt64 ? "" : fmt::format(":{}", DTypeName(e.dtype())));
      case ExprKind::kBin:
        if (e->bin() == BinOp::kMin || e->bin() == BinOp::kMax) {
          return fmt::format("{}({}, {})", BinOpName(e->bin()), Text(e->args[0]), Text(e->args[1]));
        }
        return fmt::format("({} {} {})", Text(e->args[0]), BinOpName(e->bin()), Text(e->args[1]));
      case ExprKind::kUn:
        if (e->un() == UnOp::kCast)
          return fmt::format("{}({})", DTypeName(e.dtype()), Text(e->args[0]));
        return fmt::format("{}({})", e->un() == UnOp::kNeg ? "neg" : "not", Text(e->args[0]));
      case ExprKind::kSelect:
        return "select(" + List(e->args) + ")";
      case ExprKind::kLoad:
        return Access(e->buffer, e->args);
      case ExprKind::kVec:
        return fmt::format("{}({}, {})", e->vec() == VecOp::kRamp ? "ramp" : "broadcast",
                           List(e->args), e.lanes());
      case ExprKind::kCall:
        return fmt::format("{}({})", e->name, List(e->args));
      case ExprKind::kReduce: {
        std::string axes;
        for (const Axis& a : e->axes) {
          axes += fmt::format("{}{} in [{}, {})", axes.empty() ? "" : ", ",
                              Name(a.var.get(), a.name()), a.min, a.min + a.extent);
        }
        const std::string from = e->start() ? " from " + Text(e->start()) : "";
        return fmt::format("{}({}; {}){}", ReduceOpName(e->reduce()), Text(e->args[0]), axes, from);
      }
      case ExprKind::kTensorRead:
        return fmt::format("{}[{}]", e->tensor->name, List(e->args));
    }
    return "";
  }

 private:
  // The end of a range that starts at |min|, as a constant if both are constants.
  std::string Text(const Expr& min, const Expr& extent) {
    int64_t a = 0, b = 0;
    if (IsImm(min, &a) && IsImm(extent, &b)) return std::to_string(a + b);
    if (IsImmEqual(min, 0)) return Text(extent);
    return fmt::format("+ {}", Text(extent));
  }

  std::string List(const std::vector<Expr>& list) {
    std::string text;
    for (const Expr& e : list) text += (text.empty() ? "" : ", ") + Text(e);
    return text;
  }

  std::string Access(const Buffer& buffer, const std::vector<Expr>& indices) {
    return fmt::format("{}[{}]", Name(buffer.get(), buffer->name), List(indices));
  }

  static std::string Numbers(const std::vector<int64_t>& numbers) {
    return fmt::format("{}", fmt::join(numbers, ", "));
  }

  std::string Declaration(const Buffer& b) {
    std::string text = fmt::format("{}: {}[{}] {}", Name(b.get(), b->name), DTypeName(b->dtype),
                                   Numbers(b->shape), ScopeName(b->scope));
    Layout layout = b->layout;
    layout.strides.clear();  // in words of their own: a buffer without a layout may have strides
    if (!layout.empty()) text += fmt::format(" layout({})", LayoutText(layout));
    if (!b->layout.strides.empty()) text += fmt::format(" strides({})", Numbers(b->layout.strides));
    if (b->align != 64) text += fmt::format(" align({})", b->align);
    if (b->rotates) text += " rotates";
    if (b->folded) {
      const auto& [dim, rows, step, planes] = *b->folded;
      text += fmt::format(" fold({}, {}, {}{})", dim, rows, step,
                          planes > 0 ? fmt::format(", {}", planes) : "");
    }
    return text;
  }

  static std::string Constant(const ExprNode& e) {
    const DType d = e.type.dtype;
    if (d == DType::kBool) return e.ivalue ? "true" : "false";
    if (d == DType::kInt64) return std::to_string(e.ivalue);
    if (!IsFloat(d)) return fmt::format("{}{}", e.ivalue, DTypeName(d));
    if (std::isnan(e.fvalue)) return fmt::format("nan_{}", DTypeName(d));
    if (std::isinf(e.fvalue)) return fmt::format("{}inf_{}", e.fvalue > 0 ? "" : "-", DTypeName(d));
    return fmt::format("{}{}", e.fvalue, DTypeName(d));  // shortest text of this value
  }

  // Model files name tensors freely; identifiers keep letters, digits, '_' and '.'.
  static std::string Identifier(const std::string& wanted) {
    std::string name =
        wanted.empty() || std::isdigit(static_cast<unsigned char>(wanted[0])) ? "_" : "";
    for (char c : wanted) name += std::isalnum(static_cast<unsigned char>(c)) || c == '.' ? c : '_';
    return name;
  }

  // |wanted|, with a number appended if another node already has that name.
  std::string Name(const void* node, const std::string& wanted) {
    auto it = names_.find(node);
    if (it != names_.end()) return it->second;
    const std::string base = Identifier(wanted);
    std::string name = base;
    for (int n = 1; !taken_.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
    return names_[node] = name;
  }

  std::map<const void*, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace

std::string Print(const Func& func) { return IrPrinter().Text(func); }
std::string Print(const Stmt& stmt) { return IrPrinter().Text(stmt, 0); }
std::string Print(const Expr& expr) { return IrPrinter().Text(expr); }

}  // namespace tessera::ir
