// SPDX-License-Identifier: Apache-2.0
//
// External data of an ONNX model, in files beside it. The names of those files are untrusted: no
// file outside the model's folder is opened. Depends on: base. Used by: onnx_model.cc.
#ifndef TESSERA_COMPILER_IMPORT_ONNX_EXTERNAL_H_
#define TESSERA_COMPILER_IMPORT_ONNX_EXTERNAL_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::onnx_model {

class ExternalFiles {
 public:
  // |folder| is the model's folder; with "" every read is refused.
  explicit ExternalFiles(std::string folder) : folder_(std::move(folder)) {}

  // The bytes of file |location|, valid as long as this object.
  //   errors  kUnsupported      |location| or the folder is empty
  //           kInvalidArgument  |location| is absolute or leads out of the folder
  //           kNotFound         there is no such file
  Result<std::span<const uint8_t>> Whole(const std::string& location);

  // |length| bytes of file |location| from |offset| on, valid as long as this object.
  //   errors  as Whole
  //           kDataLoss  the file is shorter
  Result<std::span<const uint8_t>> Read(const std::string& location, uint64_t offset,
                                        uint64_t length);

 private:
  std::string folder_;
  std::map<std::string, std::vector<uint8_t>> files_;
};

}  // namespace tessera::onnx_model

#endif  // TESSERA_COMPILER_IMPORT_ONNX_EXTERNAL_H_
