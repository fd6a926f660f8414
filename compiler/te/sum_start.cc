// SPDX-License-Identifier: Apache-2.0
#include "compiler/te/sum_start.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/affine.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/visit.h"

namespace tessera::te {
namespace {

struct Terms {
  std::vector<Expr> added, subtracted;

  // Null without terms.
  Expr Sum() const {
    Expr sum;
    for (const Expr& e : added) sum = sum ? sum + e : e;
    for (const Expr& e : subtracted) sum = (sum ? sum : ir::Const(e.dtype(), 0)) - e;
    return sum;
  }
};

// Removes from a stage's body the terms that it adds to a tensor.
class Stripper {
 public:
  Stripper(const Tensor& sum, const Tensor& reader, const std::set<const TensorNode*>& constants)
      : sum_(sum), reader_(reader), constants_(constants) {
    for (const Axis& a : reader->axes) ranges_.Set(a);
  }

  // Returns the body without the terms, which go to |terms|. Empty if the stage reads the tensor at
  // other elements, or if its reads add different terms.
  std::optional<Expr> Strip(Terms* terms) {
    Expr body = Without(reader_->body);
    if (!same_ || !found_) return std::nullopt;
    *terms = *found_;
    return body;
  }

 private:
  bool IsElement(const Expr& e) const {
    if (e->kind != ir::ExprKind::kTensorRead || !(TensorOf(e) == sum_)) return false;
    for (size_t d = 0; d < e->args.size(); ++d) {
      if (e->args[d].get() != reader_->axes[d].var.get()) return false;
    }
    return true;
  }

  // Whether |e| reads only constants, inside of their bounds even if a condition around |e| fails.
  bool IsTerm(const Expr& e) const {
    bool is = true;
    ir::Visit(e, [&](const Expr& x) {
      if (x->kind != ir::ExprKind::kTensorRead) return;
      is = is && constants_.contains(TensorOf(x).get());
      for (size_t d = 0; is && d < x->args.size(); ++d) {
        const ir::Interval reach = ir::BoundsOf(x->args[d], ranges_);
        is = reach.known() && reach.lo >= 0 && reach.hi < x->tensor->shape[d];
      }
    });
    return is;
  }

  // The read in |e| if |e| is an element of the sum plus terms; else null.
  Expr ReadOf(const Expr& e, Terms* terms) const {
    if (IsElement(e)) return e;
    if (e->kind != ir::ExprKind::kBin) return {};
    const bool adds = e->bin() == ir::BinOp::kAdd;
    if (!adds && e->bin() != ir::BinOp::kSub) return {};
    for (size_t side = 0; side < (adds ? 2 : 1); ++side) {
      const Expr& term = e->args[1 - side];
      if (!IsTerm(term)) continue;
      const Expr read = ReadOf(e->args[side], terms);
      if (!read) continue;
      (adds ? terms->added : terms->subtracted).push_back(term);
      return read;
    }
    return {};
  }

  Expr Without(const Expr& e) {
    Terms terms;
    const Expr read = ReadOf(e, &terms);
    if (!read) {
      if (e->kind == ir::ExprKind::kTensorRead && TensorOf(e) == sum_) same_ = false;
      return ir::MapOperands(e, [&](const Expr& x) { return Without(x); });
    }
    if (found_) {
      const Expr one = found_->Sum(), other = terms.Sum();
      same_ = same_ && (one && other ? ir::Equal(one, other) : !one && !other);
    }
    found_ = std::move(terms);
    return read;
  }

  const Tensor& sum_;
  const Tensor& reader_;
  const std::set<const TensorNode*>& constants_;
  ir::Ranges ranges_;
  std::optional<Terms> found_;
  bool same_ = true;
};

// The only stage that reads |tensor|; null if there is none or several.
Tensor OnlyReader(const Tensor& output, const Tensor& tensor) {
  Tensor found;
  for (const Tensor& t : TopologicalOrder({output})) {
    const std::vector<Tensor> read = Inputs(t);
    if (std::ranges::count(read, tensor) == 0) continue;
    if (found) return {};
    found = t;
  }
  return found;
}

// |output| with the terms that are added to |sum| moved into its start.
Tensor WithStart(const Tensor& output, const Tensor& sum,
                 const std::set<const TensorNode*>& constants) {
  std::unordered_map<const TensorNode*, Expr> bodies;  // of changed stages
  Terms all;
  const Expr before = sum->body->start();
  if (before) all.added.push_back(before);
  for (Tensor read = sum; !(read == output);) {
    const Tensor reader = OnlyReader(output, read);
    if (!reader || !reader->reduce_axes.empty() || reader.shape() != sum.shape()) break;
    Terms terms;
    const std::optional<Expr> body = Stripper(read, reader, constants).Strip(&terms);
    if (!body) break;
    ir::VarMap axes;
    for (size_t d = 0; d < sum->axes.size(); ++d)
      axes[reader->axes[d].var.get()] = sum->axes[d].var;
    for (const Expr& e : terms.added) all.added.push_back(ir::Substitute(e, axes));
    for (const Expr& e : terms.subtracted) all.subtracted.push_back(ir::Substitute(e, axes));
    bodies[reader.get()] = *body;
    if ((*body)->kind != ir::ExprKind::kTensorRead) break;
    read = reader;  // the reader is now a copy of the sum
  }
  if (all.added.size() + all.subtracted.size() == (before ? 1 : 0)) return output;
  bodies[sum.get()] = Sum(sum->body->args[0], sum->reduce_axes, all.Sum());
  return WithBodies(output, [&](const Tensor& stage) {
    const auto changed = bodies.find(stage.get());
    return changed == bodies.end() ? stage->body : changed->second;
  });
}

}  // namespace

Tensor WithSumStarts(const Tensor& output, const std::set<const TensorNode*>& constants) {
  Tensor result = output;
  for (const Tensor& known : TopologicalOrder({output})) {
    if (known->placeholder || known->reduce_axes.empty() || !ir::IsInt(known.dtype()) ||
        known->body->reduce() != ir::ReduceOp::kSum)
      continue;
    const std::vector<Tensor> stages = TopologicalOrder({result});
    const auto sum = std::ranges::find(stages, known.name(), &Tensor::name);
    result = WithStart(result, *sum, constants);
  }
  return result;
}

}  // namespace tessera::te
