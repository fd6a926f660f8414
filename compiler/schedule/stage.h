// SPDX-License-Identifier: Apache-2.0
//
// A stage of a schedule: one tensor, and the loops that compute it. Depends on ir. Used by:
// stage_list.h, schedule.h.
#ifndef TESSERA_COMPILER_SCHEDULE_STAGE_H_
#define TESSERA_COMPILER_SCHEDULE_STAGE_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/visit.h"
#include "compiler/schedule/step_fields.h"
#include "compiler/te/te.h"

namespace tessera::schedule {

// One loop of a stage, outermost first in Stage::leaves.
struct LoopAxis {
  std::string name;
  ir::Expr var;
  bool reduce = false;
  ir::LoopKind kind = ir::LoopKind::kSerial;
};

// How axes came from each other, in order of the steps.
struct Relation {
  bool is_split = true;
  ir::Expr parent;  // split: the axis that was split; fuse: the fused axis
  ir::Expr outer, inner;
  int64_t factor = 0;  // split
  bool pad = false;    // split
  // split: the last part begins where it ends with the parent
  bool overlap = false;

  // Of a split: the parent's iteration that is |rest| of |part|.
  ir::Expr ParentOf(const ir::Expr& part, const ir::Expr& rest,
                    const std::unordered_map<const ir::ExprNode*, int64_t>& iterations) const;
};

// The stride of physical dimension |dim| is |offset| modulo |factor|.
struct Alignment {
  int64_t dim = 0, factor = 1, offset = 0;
};

// What loop |axis| of a stage reads of |tensor| |distance| iterations later, of its own or of loop
// |of|, is asked for.
struct Lookahead {
  std::string tensor, axis;
  int64_t distance = 1;
  LoopName of;
};

enum class Attach : uint8_t {
  kRoot,
  kInline,
  kAt,     // inside a loop of a consumer, in front of what the loop holds
  kAfter,  // inside a loop of the stage that it reads, behind what the loop holds
};

struct Stage {
  std::string name;
  DType dtype = DType::kInt8;
  std::vector<int64_t> shape;
  bool placeholder = false;
  bool output = false;
  bool prepared = false;       // computed before the function: a parameter of it
  ir::Expr body;               // reads name other stages by tensor name
  std::vector<ir::Axis> axes;  // root axes, one a dimension
  std::vector<ir::Axis> reduce_axes;
  std::vector<LoopAxis> leaves;
  std::vector<Relation> relations;
  // What holds in the iterations of a reduction that count, over axes, split or not.
  std::vector<ir::Expr> conditions;
  // Where one of these does not hold a sum is added 0, and its iteration is not run, over axes.
  std::vector<ir::Expr> skips;
  Attach attach = Attach::kRoot;
  std::string at_stage, at_axis;  // kAt, kAfter
  ir::Scope scope = ir::Scope::kGlobal;
  Layout layout;
  std::optional<ir::FoldedDim> folded = {};  // of what functions exchange
  std::vector<Alignment> alignments;
  bool double_buffer = false;  // its buffer rotates (ir::BufferNode)
  std::string in_place_of;     // the stage whose buffer it takes; "": one of its own
  std::vector<Lookahead> prefetches;
  std::string tensorize_axis;
  std::vector<std::string> intrinsics;  // of the nest from there on, the first that fits

  int LeafIndex(const std::string& axis) const;      // -1: none
  bool Reads(const std::string& tensor) const;       // does the body? An input has none
  bool StartReads(const std::string& tensor) const;  // does what its sum starts at?
  // The element at |indices|, of a stage that computes and does not reduce, by what it reads.
  ir::Expr ValueAt(const std::vector<ir::Expr>& indices) const;
  // The iterations of every axis, leaves included, when those of the root axes are |counts|.
  std::unordered_map<const ir::ExprNode*, int64_t> Iterations(
      const std::vector<int64_t>& counts) const;
  // Every axis that is no leaf as an expression of leaves, all counted from 0, where |iterations|
  // is what Iterations() gives. |guards|: what holds in the iterations that count.
  ir::VarMap AxesOfLeaves(const std::unordered_map<const ir::ExprNode*, int64_t>& iterations,
                          std::vector<ir::Expr>* guards) const;
  // The same of the reduction alone, its axes counted from their first index as bodies have them.
  ir::VarMap ReductionOfLeaves(const std::unordered_map<const ir::ExprNode*, int64_t>& iterations,
                               std::vector<ir::Expr>* guards) const;
  // What holds, of leaves, in the iterations of padded splits that are not behind their ends.
  std::vector<ir::Expr> PaddedEnds(
      const std::unordered_map<const ir::ExprNode*, int64_t>& iterations) const;
  // For each dimension of |tensor|, the axis that alone is its index wherever the body reads it;
  // empty where a read is at anything else, or two dimensions have one axis.
  std::vector<size_t> AxesOfReads(const std::string& tensor) const;
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_STAGE_H_
