// SPDX-License-Identifier: Apache-2.0
//
// Outputs that classify: finds such an output, and its greatest classes. Depends on:
// runtime/tensor, runtime/artifact. Used by: run, compare, quantize.
#ifndef TESSERA_TOOLS_CLASSES_H_
#define TESSERA_TOOLS_CLASSES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/artifact/artifact.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tools {

inline constexpr int64_t kShownItems = 16;  // the most rows of a table with one row for each item

// The first of |outputs| that classifies: shape [1, C] or [C] with C > 1. Nothing if there is none.
std::optional<size_t> ClassOutput(const std::vector<artifact::TensorInfo>& outputs);

// The indices of the |count| greatest of |values| (or of all, if there are fewer), the greatest
// first, of equals the lower index first. A NaN is below every number.
std::vector<int64_t> TopClasses(const HostTensor& values, int64_t count);

// The classes that a network gave to items.
struct Classes {
  std::vector<std::vector<int64_t>> top;  // for each item, the greatest first

  // How many items have their label among their first |of| classes.
  int64_t Hits(std::span<const int64_t> labels, size_t of) const;
};

// Checks that some output gives classes for --labels and --top, and that each label is a class.
//   errors  kInvalidArgument  no output classifies, or a label is not one of the classes
Status CheckClasses(const std::vector<artifact::TensorInfo>& outputs,
                    std::span<const int64_t> labels, bool top);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_CLASSES_H_
