// SPDX-License-Identifier: Apache-2.0
//
// A stage of a schedule: one tensor, and the loops that compute it. Depends on ir. Used by:
// stage_list.h, schedule.h.
#ifndef TESSERA_COMPILER_SCHEDULE_STAGE_H_
#define TESSERA_COMPILER_SCHEDULE_STAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/affine.h"
#include "compiler/schedule/stage_body.h"
#include "compiler/schedule/step_fields.h"
#include "compiler/te/te.h"

namespace tessera::schedule {

// Iterations of axes, by their variables.
using LoopCounts = FlatMap<const ir::ExprNode*, int64_t>;

// One loop of a stage, outermost first in Stage::leaves.
struct LoopAxis {
  std::string name;
  ir::Expr var;
  bool reduce = false;
  ir::LoopKind kind = ir::LoopKind::kSerial;
};

// Relations of axes to each other, in order of the steps.
struct Relation {
  bool is_split = true;
  ir::Expr parent;  // split: the axis that was split; fuse: the fused axis
  ir::Expr outer, inner;
  int64_t factor = 0;  // split
  bool pad = false;    // split
  // split: the last part begins earlier, so that it ends with the parent
  bool overlap = false;

  // Adds the forms of what the relation makes, a split's parent or a fusion's outer and inner axis,
  // to |values|, which have those of its other axes that are no leaves.
  void AddTo(ir::FormMap* values, const LoopCounts& iterations, const ir::Ranges& ranges) const;
};

// The stride of physical dimension |dim| is |offset| modulo |factor|.
struct Alignment {
  int64_t dim = 0, factor = 1, offset = 0;
};

// A prefetch: loop |axis| of a stage requests the elements of |tensor| that it reads |distance|
// iterations later, counted in itself or in loop |of|.
struct Lookahead {
  std::string tensor, axis;
  int64_t distance = 1;
  LoopName of;
};

enum class Attach : uint8_t {
  kRoot,
  kInline,
  kAt,     // inside a loop of a consumer, before the loop's own statements
  kAfter,  // inside a loop of a stage that it reads, after the loop's statements
};

struct Stage {
  std::string name;
  DType dtype = DType::kInt8;
  std::vector<int64_t> shape;
  bool placeholder = false;
  bool output = false;
  bool prepared = false;       // computed before the function, which has it as a parameter
  StageBody body;              // reads name other stages by tensor name
  std::vector<ir::Axis> axes;  // root axes, one per dimension
  std::vector<ir::Axis> reduce_axes;
  std::vector<LoopAxis> leaves;
  std::vector<Relation> relations;
  // Conditions over axes, split or not; only iterations of a reduction where all hold count.
  std::vector<ir::Expr> conditions;
  // Conditions over axes; where one does not hold, a sum adds 0 and skips the iteration.
  std::vector<ir::Expr> skips;
  Attach attach = Attach::kRoot;
  std::string at_stage, at_axis;  // kAt, kAfter
  ir::Scope scope = ir::Scope::kGlobal;
  Layout layout;
  std::optional<ir::FoldedDim> folded = {};  // of a tensor that functions exchange
  std::vector<Alignment> alignments;
  bool double_buffer = false;  // its buffer rotates (ir::BufferNode)
  std::string in_place_of;     // the stage whose buffer it uses; "": its own
  std::vector<Lookahead> prefetches;
  std::string tensorize_axis;
  std::vector<std::string> intrinsics;  // for the nest from |tensorize_axis|: the first that fits

  int LeafIndex(const std::string& axis) const;      // -1: none
  bool Reads(const std::string& tensor) const;       // whether the body does
  bool StartReads(const std::string& tensor) const;  // whether the start of its sum does
  // The element at |indices| of a stage that computes without a reduction, in terms of its reads.
  ir::Expr ValueAt(const std::vector<ir::Expr>& indices) const;
  // The iterations of every axis, leaves included, if those of the root axes are |counts|.
  LoopCounts Iterations(const std::vector<int64_t>& counts) const;
  // Every axis that is not a leaf, in leaves, all from 0 on; |iterations| is from Iterations().
  //   ranges  of leaves, by which the forms are reduced; any subset
  ir::FormMap AxesOfLeaves(const LoopCounts& iterations, const ir::Ranges& ranges = {}) const;
  // The conditions of iterations that count, if |forms| are AxesOfLeaves.
  std::vector<ir::Expr> GuardsOf(const ir::FormMap& forms, const LoopCounts& iterations) const;
  // Does the same for the reduction alone; its axes count from their first index, as in bodies.
  ir::VarMap ReductionOfLeaves(const LoopCounts& iterations, std::vector<ir::Expr>* guards) const;
  // The conditions, over leaves, of the iterations of padded splits that are before the end.
  std::vector<ir::Expr> PaddedEnds(const LoopCounts& iterations) const;
  // For each dimension of |tensor|, the axis that alone is its index in all reads of the body;
  // empty if a read has another index, or two dimensions have the same axis.
  std::vector<size_t> AxesOfReads(const std::string& tensor) const;
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_STAGE_H_
