// SPDX-License-Identifier: Apache-2.0
//
// Emits one kernel as OpenCL C. Internal to compiler/codegen/opencl.
#ifndef TESSERA_COMPILER_CODEGEN_OPENCL_EMITTER_H_
#define TESSERA_COMPILER_CODEGEN_OPENCL_EMITTER_H_

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/affine.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/gpu/kernels.h"

namespace tessera::codegen {

extern const char* const kOpenClPrelude;  // the functions that kernels call

// The name and the definition of the function for intrinsic |id| (functions.cc).
std::string FunctionName(ir::ScalarIntrin id);
std::string FunctionText(ir::ScalarIntrin id);

const char* OpenClType(DType dtype);    // of a value; bool is int, f16 its bits
const char* OpenClMemory(DType dtype);  // of an element; bool is uchar

// Lane |lane| of |e|.
ir::Expr LaneOf(const ir::Expr& e, int lane);

class OpenClEmitter {
 public:
  // |functions| receives the intrinsics that the kernel calls.
  OpenClEmitter(const lower::GpuKernel& kernel, std::set<ir::ScalarIntrin>* functions)
      : kernel_(kernel), functions_(functions), ranges_(kernel.IdRanges()) {}
  std::string Run();

 private:
  // Statements (emitter.cc). Each emits whole lines.
  void Emit(const ir::Stmt& s);
  void EmitStore(const ir::Stmt& s);
  bool EmitCopy(const ir::Stmt& s);
  void Line(const std::string& text);
  std::string NewName(const std::string& name);
  void Declare(const ir::Buffer& buffer, const char* space);

  // Scalar expressions (expression.cc).
  std::string Value(const ir::Expr& e);
  std::string Binary(const ir::Expr& e);
  std::string IntBinary(const ir::Expr& e, const std::string& a, const std::string& b);
  std::string Call(const ir::Expr& e);
  std::string Place(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices);

  const lower::GpuKernel& kernel_;
  std::set<ir::ScalarIntrin>* functions_;
  ir::Ranges ranges_;
  std::unordered_map<const ir::ExprNode*, std::string> vars_;
  std::unordered_map<const ir::BufferNode*, std::string> buffers_;
  std::string text_;
  int depth_ = 1;
  int names_ = 0;
};

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_OPENCL_EMITTER_H_
