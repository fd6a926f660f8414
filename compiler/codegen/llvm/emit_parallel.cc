// SPDX-License-Identifier: Apache-2.0
//
// Parallel loops: the body becomes a function that runs some of the iterations; tessera_parallel
// (runtime/host/threads.h) calls it from several threads. A structure on the caller's stack passes
// the values in scope to it: parameters, addresses of allocations and loop variables.
#include "base/check.h"
#include "compiler/codegen/llvm/emitter.h"
#include "compiler/codegen/llvm/llvm.h"

namespace tessera::codegen {

void FuncEmitter::EmitParallel(const ir::Stmt& s) {
  llvm::Type *pointer = llvm::PointerType::getUnqual(context_), *word = b_.getInt64Ty();
  std::vector<llvm::Type*> fields{pointer};
  std::vector<llvm::Value*> values{function_->getArg(0)};
  for (const ir::BufferNode* buffer : scope_memories_) {
    fields.push_back(pointer);
    values.push_back(places_.at(buffer).base);
  }
  for (const ir::ExprNode* var : scope_vars_) {
    fields.push_back(word);
    values.push_back(vars_.at(var));
  }
  auto* type = llvm::StructType::get(context_, fields);
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  llvm::Value* scope = entry.CreateAlloca(type);
  for (size_t i = 0; i < values.size(); ++i)
    b_.CreateStore(values[i], b_.CreateStructGEP(type, scope, static_cast<unsigned>(i)));

  const int64_t bytes = ScratchBytes(s->body[0]);
  llvm::Value* scratch = llvm::Constant::getNullValue(pointer);
  if (bytes > 0) {
    TESSERA_CHECK(scratch_ != nullptr);
    scratch = b_.CreateConstGEP1_64(b_.getInt8Ty(), scratch_, static_cast<uint64_t>(scratch_top_));
  }
  llvm::Value* iterations = Value(s->extent);
  const llvm::FunctionCallee run = module_.getOrInsertFunction(
      "tessera_parallel",
      llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, word, pointer, word}, false));
  b_.CreateCall(run, {EmitBody(s, type), scope, iterations, scratch,
                      b_.getInt64(static_cast<uint64_t>(bytes))});
}

llvm::Function* FuncEmitter::EmitBody(const ir::Stmt& s, llvm::StructType* scope) {
  llvm::Type *pointer = llvm::PointerType::getUnqual(context_), *word = b_.getInt64Ty();
  auto* body = llvm::Function::Create(
      llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, word, word}, false),
      llvm::Function::InternalLinkage, func_.name + ".parallel", module_);
  body->addFnAttr(llvm::Attribute::NoUnwind);
  // Save the state of the enclosing function until the end.
  const auto outer_point = b_.saveIP();
  const auto outer_places = places_;
  const auto outer_vars = vars_;
  llvm::Function* outer = std::exchange(function_, body);
  llvm::Value* outer_scratch = scratch_;
  const int64_t outer_top = std::exchange(scratch_top_, 0);
  in_parallel_ = true;

  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", body));
  unsigned field = 0;
  const auto next = [&] {
    llvm::LoadInst* load = b_.CreateLoad(scope->getElementType(field),
                                         b_.CreateStructGEP(scope, body->getArg(0), field));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    ++field;
    return load;
  };
  BindParameters(next());
  for (const ir::BufferNode* buffer : scope_memories_) places_.at(buffer).base = next();
  for (const ir::ExprNode* var : scope_vars_) vars_[var] = next();
  scratch_ = body->getArg(1);
  llvm::Value* min = Value(s->min);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "done", body);
  EmitIterations(s, b_.CreateNSWAdd(min, body->getArg(2)), b_.CreateNSWAdd(min, body->getArg(3)),
                 after);
  b_.CreateRetVoid();

  in_parallel_ = false;
  scratch_top_ = outer_top;
  scratch_ = outer_scratch;
  function_ = outer;
  vars_ = outer_vars;
  places_ = outer_places;
  b_.restoreIP(outer_point);
  return body;
}

}  // namespace tessera::codegen
