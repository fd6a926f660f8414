// SPDX-License-Identifier: Apache-2.0
//
// One function of loop IR as LLVM IR. Internal to compiler/codegen/llvm.
#ifndef TESSERA_COMPILER_CODEGEN_LLVM_EMITTER_H_
#define TESSERA_COMPILER_CODEGEN_LLVM_EMITTER_H_

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/ir.h"

namespace tessera::codegen {

class FuncEmitter {
 public:
  // |half_unit|: the machine converts between f16 and f32.
  FuncEmitter(llvm::Module& module, const ir::Func& func, bool half_unit);
  Status Run();

 private:
  // A buffer's first element, and how its accesses are told apart from those of the others.
  struct BufferBase {
    llvm::Value* base = nullptr;
    llvm::MDNode* scope = nullptr;   // !alias.scope of this buffer
    llvm::MDNode* others = nullptr;  // !noalias: every other buffer
  };

  // Statements (emit_stmt.cc).
  void Emit(const ir::Stmt& s);
  void EmitFor(const ir::Stmt& s);
  void EmitIf(const ir::Stmt& s);
  void EmitStore(const ir::Stmt& s);
  void EmitAlloc(const ir::Stmt& s);
  void BindParameters();
  void MakeScopes();
  void Tag(llvm::Instruction* access, const ir::BufferNode* buffer);

  // Expressions (emit_expr.cc, emit_float.cc). |mask|: lanes whose reads count, null for all.
  llvm::Value* Value(const ir::Expr& e, llvm::Value* mask = nullptr);
  llvm::Value* Binary(const ir::Expr& e, llvm::Value* mask);
  llvm::Value* IntBinary(ir::BinOp op, DType dtype, llvm::Value* a, llvm::Value* b);
  llvm::Value* FloatBinary(ir::BinOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* FloorDivide(llvm::Value* a, llvm::Value* b, bool want_mod);
  llvm::Value* Unary(const ir::Expr& e, llvm::Value* mask);
  llvm::Value* CastTo(DType from, DType to, llvm::Value* v);
  llvm::Value* FromHalf(llvm::Value* v);
  llvm::Value* ToHalf(llvm::Value* v);
  llvm::Value* Exp(llvm::Value* x);
  llvm::Value* SelectValue(const ir::Expr& e, llvm::Value* mask);
  llvm::Value* Vector(const ir::Expr& e, llvm::Value* mask);
  llvm::Value* Call(const ir::Expr& e, llvm::Value* mask);
  llvm::Value* Requant(llvm::Value* a, llvm::Value* multiplier, llvm::Value* shift,
                       isa::Round rounding);

  // Memory (emit_memory.cc).
  llvm::Value* LoadFrom(const ir::Expr& e, llvm::Value* mask);
  void StoreTo(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, llvm::Value* value,
               int lanes);
  // The address of the first lane and the step in elements, when lanes are evenly spaced.
  struct Strided {
    ir::Expr base;
    int64_t stride = 0;
  };
  static std::optional<Strided> AsStrided(const ir::Expr& offset, int lanes);
  llvm::Value* AddressOf(const ir::Buffer& buffer, const ir::Expr& offset);
  llvm::Value* Lanes(llvm::Value* v, int lanes);  // broadcast a scalar

  llvm::Type* TypeOf(ir::Type type);    // in registers; bool is i1, f16 its bits
  llvm::Type* MemoryType(DType dtype);  // bool is i8
  llvm::Type* Like(llvm::Type* element, llvm::Value* shape);  // |element|, as wide as |shape|

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const ir::Func& func_;
  const bool half_unit_;
  llvm::Function* function_ = nullptr;
  llvm::IRBuilder<> b_;
  std::unordered_map<const ir::BufferNode*, BufferBase> places_;
  std::unordered_map<const ir::ExprNode*, llvm::Value*> vars_;
  llvm::Value* scratch_ = nullptr;
  int64_t scratch_top_ = 0;
  std::string unsupported_;  // the first thing that has no host code
};

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_LLVM_EMITTER_H_
