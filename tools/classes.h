// SPDX-License-Identifier: Apache-2.0
//
// Outputs that classify: which one does, and its greatest classes. Depends on: runtime/tensor,
// runtime/artifact. Used by: run, compare.
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

inline constexpr int64_t kShownItems = 16;  // of a table with a row an item

// The first of |outputs| that classifies: [1, C] or [C] with C > 1. Nothing: none does.
std::optional<size_t> ClassOutput(const std::vector<artifact::TensorInfo>& outputs);

// The indices of the |count| greatest of |values|, the greatest first, of equals the lower; fewer
// where there are fewer. A NaN is below every number.
std::vector<int64_t> TopClasses(const HostTensor& values, int64_t count);

// Which classes a network gave to items.
struct Classes {
  std::vector<std::vector<int64_t>> top;  // by item, the greatest first

  // How many items have their label among the first |of|.
  int64_t Hits(std::span<const int64_t> labels, size_t of) const;
};

// Whether there are classes for --labels and --top, and each label is one of them.
//   errors  kInvalidArgument  no output classifies, or |labels| has a class that is not there
Status CheckClasses(const std::vector<artifact::TensorInfo>& outputs,
                    std::span<const int64_t> labels, bool top);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_CLASSES_H_
