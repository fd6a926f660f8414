// SPDX-License-Identifier: Apache-2.0
//
// Axis roles: what each axis of a contraction or reduction stage is, found from the operands that
// it indexes. Schedule generators work from roles, not operators. Depends on te.h, ir/affine.h.
#ifndef TESSERA_COMPILER_TE_ROLES_H_
#define TESSERA_COMPILER_TE_ROLES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace tessera::te {

enum class Role : uint8_t {
  kBatch,          // data; indexes the input alone, by itself
  kSpatial,        // data; indexes the input with a coefficient or beside a window axis
  kOutputChannel,  // data; indexes the weights and not the input (or the input only by its group)
  kChannelwise,    // data; indexes input and weights alike (without weights: the input, no window
                   // beside it)
  kInputChannel,   // reduced; alone in its index of the input
  kWindow,         // reduced; added to a spatial axis in an index of the input
};

struct AxisRole {
  ir::Axis axis;
  Role role = Role::kBatch;
  // Coefficient of the axis in the input's index: stride for kSpatial, dilation for kWindow; with
  // groups, the distance from one group to the next.
  int64_t coeff = 1;
  int input_dim = -1;   // dimension of the input that it indexes; -1 if none
  int weight_dim = -1;  // dimension of the weights; -1 if none
  int64_t group = 0;    // of a data axis that indexes the input by group: the size of a group
};

// Roles of a stage that reduces one read or the product of two reads.
struct Roles {
  ir::Expr input;  // the TensorRead
  std::optional<ir::Expr> weight;
  std::vector<AxisRole> data;  // one per dimension, in order
  std::vector<AxisRole> reduced;
  std::vector<int64_t> offsets;           // of the input's indices, with every axis at 0
  const AxisRole* Find(Role role) const;  // the first of that role; nullptr if none
  // The only input channel that indexes the input; nullptr if there is none or several. Axes of the
  // weights alone may stand beside it: windows of 1x1.
  const AxisRole* InputChannel() const;
};

// Empty if the stage is not such a reduction, or an index is not quasi-affine. Of two reads the
// weights are the one with fewer data axes; on a tie the second.
//   axes, reduce_axes, body  of a te::TensorNode or of a stage of a schedule
std::optional<Roles> FindRoles(const std::vector<ir::Axis>& axes,
                               const std::vector<ir::Axis>& reduce_axes, const ir::Expr& body);

// The same for a TensorRead that is known to be the input.
std::optional<Roles> RolesOf(const std::vector<ir::Axis>& axes,
                             const std::vector<ir::Axis>& reduce_axes, const ir::Expr& input,
                             const std::optional<ir::Expr>& weight);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_ROLES_H_
