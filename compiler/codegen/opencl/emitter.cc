// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/opencl/emitter.h"

#include <fmt/format.h>

#include <cctype>

#include "base/check.h"
#include "compiler/codegen/opencl/opencl.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"

namespace tessera::codegen {

using ir::Expr;
using ir::Stmt;
using ir::StmtKind;

void OpenClEmitter::Line(const std::string& text) {
  text_ += std::string(static_cast<size_t>(2 * depth_), ' ') + text + "\n";
}

// A name that is unique in the kernel.
std::string OpenClEmitter::NewName(const std::string& name) {
  std::string out = fmt::format("v{}_", names_++);
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
}

void OpenClEmitter::Declare(const ir::Buffer& buffer, const char* space) {
  const std::string& name = buffers_[buffer.get()] = NewName(buffer->name);
  Line(fmt::format("{}{} {}[{}];", space, OpenClMemory(buffer->dtype), name,
                   ir::SizeInElements(*buffer)));
}

std::string OpenClEmitter::Run() {
  std::string head =
      fmt::format("__kernel __attribute__((reqd_work_group_size({}, {}, {})))\nvoid {}(",
                  kernel_.threads[0], kernel_.threads[1], kernel_.threads[2], kernel_.name);
  for (size_t p = 0; p < kernel_.params.size(); ++p) {
    head += fmt::format("{}__global uchar* m{}, ulong o{}", p ? ", " : "", p, p);
    const ir::Buffer& buffer = kernel_.params[p];
    const std::string& name = buffers_[buffer.get()] = NewName(buffer->name);
    const std::string type = fmt::format("__global {}{}*", p < kernel_.written ? "const " : "",
                                         OpenClMemory(buffer->dtype));
    Line(fmt::format("{} {} = ({})(m{} + o{});", type, name, type, p, p));
  }
  for (const ir::Buffer& buffer : kernel_.shared) Declare(buffer, "__local ");
  for (size_t k = 0; k < 3; ++k) {
    for (const bool group : {true, false}) {
      const Expr& id = (group ? kernel_.group_ids : kernel_.thread_ids)[k];
      if (!id) continue;
      vars_[id.get()] = NewName(id->name);
      Line(fmt::format("const long {} = get_{}_id({});", vars_[id.get()], group ? "group" : "local",
                       k));
    }
  }
  Emit(kernel_.body);
  return fmt::format("\n{}) {{\n{}}}\n", head, text_);
}

void OpenClEmitter::Emit(const Stmt& s) {
  switch (s->kind) {
    case StmtKind::kSeq:
      for (const Stmt& b : s->body) Emit(b);
      return;
    case StmtKind::kFor: {
      const std::string& v = vars_[s->var.get()] = NewName(s->var->name);
      Line(fmt::format("for (long {0} = {1}, n{0} = {0} + {2}; {0} < n{0}; ++{0}) {{", v,
                       Value(s->min), Value(s->extent)));
      const ir::Interval first = ir::BoundsOf(s->min, ranges_),
                         count = ir::BoundsOf(s->extent, ranges_);
      if (first.known() && count.known()) ranges_.Set(s->var, {first.lo, first.hi + count.hi - 1});
      ++depth_;
      Emit(s->body[0]);
      --depth_;
      return Line("}");
    }
    case StmtKind::kIf:
      Line(fmt::format("if ({}) {{", Value(s->value)));
      ++depth_;
      Emit(s->body[0]);
      --depth_;
      if (s->body.size() > 1) {
        Line("} else {");
        ++depth_;
        Emit(s->body[1]);
        --depth_;
      }
      return Line("}");
    case StmtKind::kAlloc:
      Line("{");
      ++depth_;
      Declare(s->buffer, "");
      Emit(s->body[0]);
      --depth_;
      return Line("}");
    case StmtKind::kStore:
      return EmitStore(s);
    case StmtKind::kPrefetch:  // LowerKernels leaves none
      return;
    case StmtKind::kEval:  // a barrier: LowerKernels leaves no other call
      return Line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
  }
}

// Copies a vector without change if its lanes are adjacent in both buffers.
bool OpenClEmitter::EmitCopy(const Stmt& s) {
  const int lanes = s->value.lanes();
  const Expr& from = s->value;
  if (from->kind != ir::ExprKind::kLoad || from.dtype() != s->buffer->dtype) return false;
  if (lanes != 2 && lanes != 4 && lanes != 8 && lanes != 16) return false;
  const auto base = [&](const ir::Buffer& buffer, const std::vector<Expr>& indices) -> Expr {
    const Expr offset = ir::OffsetOf(*buffer, indices);
    if (offset.lanes() != lanes) return Expr();
    const Expr first = ir::Simplify(LaneOf(offset, 0), ranges_);
    for (int lane = 1; lane < lanes; ++lane) {
      const ir::Linear step =
          ir::Add(ir::ToLinear(LaneOf(offset, lane), ranges_), ir::ToLinear(first, ranges_), -1);
      if (!step.IsConstant() || step.constant != lane) return Expr();
    }
    return first;
  };
  const Expr to_base = base(s->buffer, s->indices), from_base = base(from->buffer, from->args);
  if (!to_base || !from_base) return false;
  Line(fmt::format("vstore{0}(vload{0}(0, {1} + {2}), 0, {3} + {4});", lanes,
                   buffers_.at(from->buffer.get()), Value(from_base), buffers_.at(s->buffer.get()),
                   Value(to_base)));
  return true;
}

// Stores lane by lane, after computing all values.
void OpenClEmitter::EmitStore(const Stmt& s) {
  const int lanes = s->value.lanes();
  const auto indices = [&](int lane) {
    std::vector<Expr> out;
    for (const Expr& i : s->indices) out.push_back(LaneOf(i, lane));
    return out;
  };
  if (lanes == 1)
    return Line(fmt::format("{} = {};", Place(s->buffer, indices(0)), Value(s->value)));
  if (EmitCopy(s)) return;
  Line("{");
  ++depth_;
  for (int lane = 0; lane < lanes; ++lane) {
    Line(fmt::format("const {} l{} = {};", OpenClType(s->value.dtype()), lane,
                     Value(LaneOf(s->value, lane))));
  }
  for (int lane = 0; lane < lanes; ++lane)
    Line(fmt::format("{} = l{};", Place(s->buffer, indices(lane)), lane));
  --depth_;
  Line("}");
}

std::string OpenClSource(std::span<const lower::GpuKernel> kernels) {
  std::set<ir::ScalarIntrin> functions;
  std::string text;
  for (const lower::GpuKernel& kernel : kernels) text += OpenClEmitter(kernel, &functions).Run();
  std::string before = kOpenClPrelude;
  for (const ir::ScalarIntrin id : functions) before += FunctionText(id);
  return before + text;
}

}  // namespace tessera::codegen
