// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/storage.h"

#include "compiler/ir/layout.h"

namespace tessera::lower {

using schedule::Attach;
using schedule::Schedule;
using schedule::Stage;

namespace {

// Sets strides as storage_align requires, with gaps after shorter rows.
void Align(const std::vector<schedule::Alignment>& alignments, ir::BufferNode* node) {
  if (alignments.empty()) return;
  const std::vector<int64_t> extents = ir::PhysicalShape(*node);
  std::vector<int64_t> strides(extents.size());
  int64_t next = 1;
  for (size_t k = extents.size(); k-- > 0;) {
    for (const schedule::Alignment& a : alignments) {
      if (a.dim == static_cast<int64_t>(k))
        next += ((a.offset - next) % a.factor + a.factor) % a.factor;
    }
    strides[k] = next;
    next *= extents[k];
  }
  node->layout.strides = std::move(strides);
}

}  // namespace

ir::Buffer MakeBuffer(const Schedule& schedule, const Bounds& bounds, const Stage& stage) {
  const StageBounds& b = bounds.stages.at(&stage);
  const Stage* outer = schedule.OuterOf(stage);
  const bool part = stage.attach == Attach::kAt ||
                    (stage.attach == Attach::kAfter && outer->attach == Attach::kAt);
  std::vector<int64_t> shape =
      part || !(stage.placeholder || stage.prepared || stage.output) ? b.extent : stage.shape;
  // A tensor that the caller makes has the caller's shape; its loops do not matter.
  for (size_t d = 0; d < shape.size() && !stage.prepared; ++d) {
    for (const schedule::Relation& r : stage.relations) {
      if (r.is_split && r.pad && !stage.output && r.parent.get() == stage.axes[d].var.get()) {
        shape[d] = (shape[d] + r.factor - 1) / r.factor * r.factor;
      }
    }
  }
  ir::BufferNode node{.name = stage.name,
                      .dtype = stage.dtype,
                      .shape = std::move(shape),
                      .layout = stage.layout,
                      .scope = stage.scope,
                      .folded = stage.folded};
  for (const Stage& s : schedule.stages())  // stages in place of it, or itself
    node.rotates |= s.double_buffer && schedule.OwnerOf(s) == &stage;
  Align(stage.alignments, &node);
  return ir::MakeBuffer(std::move(node));
}

Status CheckInPlace(const Schedule& schedule, const Bounds& bounds, const Stage& stage) {
  if (stage.in_place_of.empty()) return {};
  TESSERA_TRY(schedule.CheckInPlace(stage));
  if (bounds.stages.at(&stage).once) return {};
  return Fail(Code::kInvalidArgument,
              "{} cannot be in place of {}: in loop {} of {} some elements are computed twice; "
              "attach it where its boxes lie apart, or leave in_place out",
              stage.name, stage.in_place_of, stage.at_axis, stage.at_stage);
}

}  // namespace tessera::lower
