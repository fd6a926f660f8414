// SPDX-License-Identifier: Apache-2.0
//
// compare --reference: compares an output with the output of another runtime. Depends on: inputs.h.
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

// Compares an output's values with a file's, item by item. If the quantisation of integers is known
// and the file holds floats, the integers stand for real numbers.
class ReferenceOutput {
 public:
  // Reads |path|, a tensor [N, ...] of |output|'s shape and of any type. N is |items|, or |all| for
  // a file of all items.
  //   errors  those of ReadTensorFile; kInvalidArgument  another shape or number of items
  static Result<ReferenceOutput> Read(const std::string& path, const artifact::TensorInfo& output,
                                      int64_t items, int64_t all);

  // Adds item |i| of the output, [1, ...].
  void Add(int64_t i, const HostTensor& value);

  int64_t items() const { return items_; }
  // Items whose greatest value is at the same index; nothing for an output that does not classify.
  std::optional<int64_t> agree() const {
    return classifies_ ? std::optional(agree_) : std::nullopt;
  }
  double max_difference() const { return max_difference_; }
  double cosine() const;  // of all values so far as one vector; 1 if both vectors are zero
  double snr_db() const;  // 10 log10 of the file's energy over the difference's; infinite if equal

  nlohmann::ordered_json Json() const;  // infinite and undefined numbers are null

 private:
  std::string path_;
  HostTensor reference_;
  std::optional<artifact::Affine> quant_;  // turns the output's integers into real numbers
  bool classifies_ = false;
  int64_t items_ = 0, agree_ = 0;
  double max_difference_ = 0, ab_ = 0, aa_ = 0, bb_ = 0, difference_ = 0;  // sums of products
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPARE_REFERENCE_H_
