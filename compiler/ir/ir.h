// SPDX-License-Identifier: Apache-2.0
//
// The loop IR: immutable trees behind shared handles. Ten kinds of expression (two of which exist
// in tensor expressions only) and seven kinds of statement. docs/rationale/loop-ir.md has the
// grammar. Depends on base. Used by te, schedule, lower, every code generator and the graph's
// operator bodies.
//
// Rules that hold everywhere:
//   - loop variables and indices are i64; arithmetic on other integers wraps modulo 2^bits
//   - nothing is computed in f16: it is loaded, stored, selected and cast
//   - operands of a binary operation have one type; the builders below give an i64 constant the
//     other operand's type and broadcast a scalar beside a vector
//   - a variable is its node: two variables of one name are different variables
#ifndef TESSERA_COMPILER_IR_IR_H_
#define TESSERA_COMPILER_IR_IR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/layout.h"
#include "compiler/ir/type.h"

namespace tessera::ir {

enum class ExprKind : uint8_t {
  kImm,
  kVar,
  kBin,
  kUn,
  kSelect,
  kLoad,
  kVec,
  kCall,
  kReduce,
  kTensorRead,  // tensor expressions only; lowering removes them
};

// kDiv and kMod of integers round to minus infinity (and a zero divisor is an error); kDiv of
// floats is the quotient. kAnd, kOr, kXor act bitwise. kShr is arithmetic. kEq to kLe give bool.
enum class BinOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kMin,
  kMax,
  kAnd,
  kOr,
  kXor,
  kShl,
  kShr,
  kEq,
  kNe,
  kLt,
  kLe
};

// kCast: to a narrower integer keeps the low bits; from a float truncates towards zero and
// saturates (NaN: 0); from an integer to f16 goes through f32.
enum class UnOp : uint8_t { kCast, kNeg, kNot };

enum class VecOp : uint8_t { kRamp, kBroadcast };  // args {base, stride} and {value}
// kFusedSum: of f32; if the value is a product, it is not rounded before it is added.
enum class ReduceOp : uint8_t { kSum, kMax, kMin, kProd, kFusedSum };

struct ExprNode;
struct BufferNode;
struct StmtNode;
using Buffer = std::shared_ptr<const BufferNode>;  // identity is the node

class Expr {
 public:
  Expr() = default;
  Expr(int value);      // NOLINT: an i64 constant
  Expr(int64_t value);  // NOLINT: an i64 constant
  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}

  const ExprNode* operator->() const { return node_.get(); }
  const ExprNode& operator*() const { return *node_; }
  const ExprNode* get() const { return node_.get(); }
  explicit operator bool() const { return node_ != nullptr; }
  Type type() const;
  DType dtype() const;
  int lanes() const;

 private:
  std::shared_ptr<const ExprNode> node_;
};

// One iteration axis: |var| runs over [min, min + extent).
struct Axis {
  Expr var;
  int64_t min = 0;
  int64_t extent = 0;
  const std::string& name() const;
};

// The tensor that a TensorRead reads; te::TensorNode derives from it.
struct TensorBase {
  std::string name;
  DType dtype = DType::kInt8;
  std::vector<int64_t> shape;
  virtual ~TensorBase() = default;
};

struct ExprNode {
  ExprKind kind = ExprKind::kImm;
  Type type;
  uint8_t op = 0;      // BinOp, UnOp, VecOp or ReduceOp
  int64_t ivalue = 0;  // Imm of an integer or bool
  float fvalue = 0;    // Imm of f32 or f16
  std::string name;    // Var, Call
  // Operands; indices of Load and TensorRead; value and optional start of Reduce.
  std::vector<Expr> args;
  Buffer buffer;                             // Load
  std::vector<Axis> axes;                    // Reduce
  std::shared_ptr<const TensorBase> tensor;  // TensorRead

  BinOp bin() const { return static_cast<BinOp>(op); }
  UnOp un() const { return static_cast<UnOp>(op); }
  VecOp vec() const { return static_cast<VecOp>(op); }
  ReduceOp reduce() const { return static_cast<ReduceOp>(op); }
  // Start value of a Reduce; null: the identity of its operation.
  Expr start() const { return kind == ExprKind::kReduce && args.size() > 1 ? args[1] : Expr(); }
};

// The memory of a buffer. kGlobal is device or host memory; kLocal a thread's scratch memory; kReg
// asks for registers (its indices must be constant after unrolling); kInp to kTab are the
// accelerator's scratchpads.
enum class Scope : uint8_t { kGlobal, kShared, kLocal, kReg, kInp, kWgt, kAcc, kOut, kPrm, kTab };
inline constexpr int kScopes = static_cast<int>(Scope::kTab) + 1;

// A dimension that is present |rows| indices at a time: first indices [0, rows), then as many from
// |step| on, which overwrite earlier ones; and so on. The dimensions in front of it number planes.
// All planes are there at one time, or |planes| of them: first the rows of these, one set after the
// other, then those of as many further planes in the same places.
struct FoldedDim {
  int64_t dim = 0, rows = 1, step = 1;
  int64_t planes = 0;  // 0: all
  bool operator==(const FoldedDim&) const = default;
};

struct BufferNode {
  std::string name;
  DType dtype = DType::kInt8;
  std::vector<int64_t> shape;  // logical
  Layout layout;
  Scope scope = Scope::kGlobal;
  int64_t align = 64;  // bytes
  // For scratchpads: each allocation takes the next free place, so that writers can run ahead of
  // readers of the previous contents. Otherwise the buffer has one place.
  bool rotates = false;
  // For tensors that alternating functions exchange in a scratchpad.
  std::optional<FoldedDim> folded = {};
};

// kPrefetch announces a read of the element and its cache line. It has no effect on results.
enum class StmtKind : uint8_t { kFor, kIf, kSeq, kStore, kAlloc, kEval, kPrefetch };

// How the iterations of a loop run. The results are always those of running them in order, as the
// interpreter does. Grid iterations are groups of threads, which share no kShared buffer; the
// threads of a group run at the same time. Iterations of a virtual thread are interleaved, so that
// one works while another waits.
enum class LoopKind : uint8_t {
  kSerial,
  kVector,
  kUnroll,
  kParallel,  // on the processors of a host
  kGridX,
  kGridY,
  kGridZ,
  kThreadX,
  kThreadY,
  kThreadZ,
  kVthread,
};
inline constexpr int kLoopKinds = static_cast<int>(LoopKind::kVthread) + 1;

class Stmt {
 public:
  Stmt() = default;
  explicit Stmt(std::shared_ptr<const StmtNode> node) : node_(std::move(node)) {}
  const StmtNode* operator->() const { return node_.get(); }
  const StmtNode& operator*() const { return *node_; }
  const StmtNode* get() const { return node_.get(); }
  explicit operator bool() const { return node_ != nullptr; }

 private:
  std::shared_ptr<const StmtNode> node_;
};

struct StmtNode {
  StmtKind kind = StmtKind::kSeq;
  LoopKind loop = LoopKind::kSerial;  // For
  Expr var, min, extent;              // For
  Expr value;                         // Store: value; If: condition; Eval: call
  Buffer buffer;                      // Store, Alloc, Prefetch
  std::vector<Expr> indices;          // Store, Prefetch
  std::vector<Stmt> body;             // For, Alloc: one; If: then, optional else; Seq: any number
};

// A function over buffers that the caller owns, in the order of |params|.
struct Func {
  std::string name;
  std::vector<Buffer> params;
  Stmt body;
};

// Expressions. TESSERA_CHECK fails if types do not agree.
Expr Imm(DType dtype, int64_t value);  // wraps |value| to |dtype|; integers and bool
Expr ImmF32(float value);
Expr ImmFloat(DType dtype, float value);  // rounded to |dtype|
Expr Const(DType dtype, int64_t value);   // of any type, floats too
Expr Var(std::string name, DType dtype = DType::kInt64);
Expr Bin(BinOp op, Expr a, Expr b);
Expr Cast(DType dtype, Expr a);
Expr Neg(Expr a);
Expr Not(Expr a);  // bool only
Expr Select(Expr condition, Expr then_value, Expr else_value);
Expr Load(Buffer buffer, std::vector<Expr> indices);
Expr Ramp(Expr base, Expr stride, int lanes);
Expr Broadcast(Expr value, int lanes);
Expr Call(std::string name, std::vector<Expr> args, Type type);
// |start| is for sums only and uses none of |axes|; null: the identity.
Expr Reduce(ReduceOp op, Expr value, std::vector<Axis> axes, Expr start = Expr());
Expr TensorRead(std::shared_ptr<const TensorBase> tensor, std::vector<Expr> indices);

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr FloorDiv(Expr a, Expr b);
Expr FloorMod(Expr a, Expr b);
Expr Min(Expr a, Expr b);
Expr Max(Expr a, Expr b);
Expr Lt(Expr a, Expr b);
Expr Le(Expr a, Expr b);
Expr Eq(Expr a, Expr b);
Expr And(Expr a, Expr b);

// Statements.
Stmt For(Expr var, Expr min, Expr extent, LoopKind kind, Stmt body);
Stmt If(Expr condition, Stmt then_body, Stmt else_body = Stmt());
Stmt Seq(std::vector<Stmt> body);  // flattens nested sequences; one statement is returned as it is
Stmt Store(Buffer buffer, std::vector<Expr> indices, Expr value);
Stmt Alloc(Buffer buffer, Stmt body);
Stmt Eval(Expr call);
Stmt Prefetch(Buffer buffer, std::vector<Expr> indices);

Buffer MakeBuffer(BufferNode node);  // checks sizes

// The value of an integer constant; false if |e| is not one.
bool IsImm(const Expr& e, int64_t* value);
bool IsImmEqual(const Expr& e, int64_t value);

// The identity of a reduction in |dtype|: 0, 1, the lowest or the highest value.
Expr ReduceIdentity(ReduceOp op, DType dtype);
BinOp ReduceCombiner(ReduceOp op);
bool IsSum(ReduceOp op);  // kSum, kFusedSum
// The factors of the products that |reduce|, a kFusedSum, adds unrounded; null: it adds none.
const std::vector<Expr>* FusedFactors(const ExprNode& reduce);

const char* BinOpName(BinOp op);  // "+", "min", ...
const char* ScopeName(Scope scope);
const char* LoopKindName(LoopKind kind);
const char* ReduceOpName(ReduceOp op);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_IR_H_
