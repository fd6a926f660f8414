// SPDX-License-Identifier: Apache-2.0
//
// compare --reference: how near an output is to what another runtime gave. Depends on: inputs.h.
// Used by: compare.
#ifndef TESSERA_TOOLS_COMPARE_REFERENCE_H_
#define TESSERA_TOOLS_COMPARE_REFERENCE_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/artifact/artifact.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tools {

// An output's values beside a file's, item by item. Integers whose quantisation is known stand for
// real numbers where the file holds floats.
class ReferenceOutput {
 public:
  // Reads |path|, [N, ...] of |output|'s shape and any type, for the |items| first of |all| items
  // or for all.
  //   errors  those of ReadTensorFile; kInvalidArgument  another shape or number of items
  static Result<ReferenceOutput> Read(const std::string& path, const artifact::TensorInfo& output,
                                      int64_t items, int64_t all);

  // Item |i| of the output, [1, ...].
  void Add(int64_t i, const HostTensor& value);

  int64_t items() const { return items_; }
  // Items whose greatest value is at the same place; nothing for an output that does not classify.
  std::optional<int64_t> agree() const {
    return classifies_ ? std::optional(agree_) : std::nullopt;
  }
  double max_difference() const { return max_difference_; }
  double cosine() const;  // of all values so far as one vector; 1 where both are zero
  double snr_db() const;  // 10 log10 of the file's energy over the difference's; infinite if equal

  nlohmann::ordered_json Json() const;  // infinite and undefined numbers are null

 private:
  std::string path_;
  HostTensor reference_;
  std::optional<artifact::Affine> quant_;  // by which the output's integers are made real
  bool classifies_ = false;
  int64_t items_ = 0, agree_ = 0;
  double max_difference_ = 0, ab_ = 0, aa_ = 0, bb_ = 0, difference_ = 0;  // sums of products
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPARE_REFERENCE_H_
