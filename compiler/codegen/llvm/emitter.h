// SPDX-License-Identifier: Apache-2.0
//
// Emits one function of loop IR as LLVM IR, for the host unless a derived class overrides that.
// Internal to compiler/codegen/llvm.
#ifndef TESSERA_COMPILER_CODEGEN_LLVM_EMITTER_H_
#define TESSERA_COMPILER_CODEGEN_LLVM_EMITTER_H_

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "compiler/codegen/llvm/few_values.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/ir.h"
#include "compiler/target/target.h"
#include "compiler/target/value_builder.h"

namespace tessera::codegen {

using target::CpuUnits;

// A value that is clamped to the range of a narrow integer, cast to it, and at once widened again,
// need not become narrow (the first operand of a sum of two activations). Returns the clamp or
// null.
const ir::Expr* ClampBelow(const ir::Expr& wide);

class FuncEmitter {
 public:
  FuncEmitter(llvm::Module& module, const ir::Func& func, const CpuUnits& units);
  virtual ~FuncEmitter() = default;
  Status Run();

 protected:
  // A buffer's first element, and the alias information of its accesses.
  struct BufferBase {
    llvm::Value* base = nullptr;
    llvm::MDNode* scope = nullptr;   // !alias.scope of this buffer
    llvm::MDNode* others = nullptr;  // !noalias: every other buffer
  };

  // Parts that differ for a GPU kernel (emit_kernel.h): the function with the places of its
  // parameters; memory; tile intrinsics.
  virtual void Begin();
  virtual void EmitAlloc(const ir::Stmt& s);
  virtual void EmitTile(const ir::Expr& call);
  virtual bool FusesProducts() const { return units_.fma; }  // one instruction for fma()

  // Statements (emit_stmt.cc).
  void Emit(const ir::Stmt& s);
  void EmitFor(const ir::Stmt& s);
  void EmitIf(const ir::Stmt& s);
  void EmitStore(const ir::Stmt& s);
  void EmitPrefetch(const ir::Stmt& s);
  // The loop from |first| to before |last|; it has at least one iteration.
  void EmitIterations(const ir::Stmt& s, llvm::Value* first, llvm::Value* last,
                      llvm::BasicBlock* after);
  void BindParameters(llvm::Value* buffers);
  void MakeScopes();
  void Tag(llvm::Instruction* access, const ir::BufferNode* buffer);

  // A parallel loop: its body becomes a function that runs some of the iterations
  // (emit_parallel.cc).
  void EmitParallel(const ir::Stmt& s);
  llvm::Function* EmitBody(const ir::Stmt& s, llvm::StructType* scope);

  // Expressions (emit_expr.cc, emit_float.cc, emit_function.cc).
  // |mask|: the lanes whose reads are used; null: all.
  llvm::Value* Value(const ir::Expr& e, llvm::Value* mask = nullptr);
  llvm::Value* Binary(const ir::Expr& e, llvm::Value* mask);
  llvm::Value* IntBinary(ir::BinOp op, DType dtype, llvm::Value* a, llvm::Value* b);
  llvm::Value* FloatBinary(ir::BinOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* FloorDivide(llvm::Value* a, llvm::Value* b, bool want_mod);
  llvm::Value* Unary(const ir::Expr& e, llvm::Value* mask);
  llvm::Value* CastTo(DType from, DType to, llvm::Value* v);
  llvm::Value* Truncate(llvm::Value* v, llvm::Type* target, bool is_unsigned);
  llvm::Value* FromHalf(llvm::Value* v);
  llvm::Value* ToHalf(llvm::Value* v);
  llvm::Value* Function(ir::ScalarIntrin id, const std::vector<llvm::Value*>& x);
  llvm::Value* SelectValue(const ir::Expr& e, llvm::Value* mask);
  llvm::Value* Vector(const ir::Expr& e, llvm::Value* mask);
  llvm::Value* Call(const ir::Expr& e, llvm::Value* mask);

  // Requantisation (emit_requant.cc, emit_rounded_down.cc).
  llvm::Value* RequantClamp(const ir::Expr& call, llvm::Value* mask);
  // A |call| of requant, plus |number|, which must be 0 unless TakesZero.
  llvm::Value* Requant(const ir::Expr& call, int64_t number, llvm::Value* mask);
  llvm::Value* HighHalf(llvm::Value* a, llvm::Value* b);
  bool TakesZero(const ir::Expr& call, int64_t zero) const;
  llvm::Value* RequantEven(llvm::Value* a, llvm::Value* multiplier, llvm::Value* right,
                           int64_t zero);

  // Tile intrinsics (emit_tile.cc): the intrinsic of |target| for |call| defines the code.
  friend class LlvmValues;
  void EmitCall(const target::Target& target, const ir::Expr& call);
  // Byte |byte| (null: 0) of the tile at |place|; a multiple of |align|.
  virtual llvm::Value* TileByte(const ir::Expr& place, llvm::Value* byte, int64_t align);
  virtual llvm::Value* Thread();  // number of the thread among those that share a call

  // Memory (emit_memory.cc).
  llvm::Value* LoadFrom(const ir::Expr& e, llvm::Value* mask);
  void StoreTo(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, llvm::Value* value,
               int lanes);
  // The address of the first lane, and the step in elements if lanes are evenly spaced.
  struct Strided {
    ir::Expr base;
    int64_t stride = 0;
  };
  static std::optional<Strided> AsStrided(const ir::Expr& offset, int lanes);
  // Stores of vectors whose lanes take turns in memory without a gap: how many, from |first| on,
  // are such; 1: that one alone. Their elements are stored together.
  static size_t TurnsFrom(const std::vector<ir::Stmt>& stores, size_t first);
  void EmitTurns(std::span<const ir::Stmt> stores);
  llvm::Value* AddressOf(const ir::Buffer& buffer, const ir::Expr& offset);
  llvm::Value* Lanes(llvm::Value* v, int lanes);  // broadcasts a scalar

  llvm::Type* TypeOf(ir::Type type);    // in registers; bool is i1, f16 its bits
  llvm::Type* MemoryType(DType dtype);  // bool is i8
  llvm::Type* Like(llvm::Type* element, llvm::Value* shape);  // |element| with the lanes of |shape|

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const ir::Func& func_;
  const CpuUnits units_;
  llvm::Function* function_ = nullptr;
  llvm::IRBuilder<> b_;
  std::unordered_map<const ir::BufferNode*, BufferBase> places_;
  std::unordered_map<const ir::ExprNode*, llvm::Value*> vars_;
  // Loop variables and allocations around the current statement, outermost first.
  std::vector<const ir::ExprNode*> scope_vars_;
  std::vector<const ir::BufferNode*> scope_memories_;
  FewValuesFinder few_values_;
  int64_t tiles_ = 0;  // calls of tile intrinsics so far
  llvm::Value* scratch_ = nullptr;
  int64_t scratch_top_ = 0;
  bool in_parallel_ = false;
  std::string unsupported_;  // the first construct without code
};

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_LLVM_EMITTER_H_
