// SPDX-License-Identifier: Apache-2.0
//
// Data of an ONNX model that lie in files beside it. The names of those files are untrusted: what
// is not inside of the model's folder is not opened. Depends on: base. Used by: onnx_model.cc.
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
  // Of a model in |folder|; "": of none, so that nothing is read.
  explicit ExternalFiles(std::string folder) : folder_(std::move(folder)) {}

  // |length| bytes of file |location| from |offset| on. They stay as long as this.
  //   errors  kInvalidArgument  |location| is empty, absolute or leads out of the folder
  //           kNotFound         there is no such file
  //           kDataLoss         the file is shorter
  Result<std::span<const uint8_t>> Read(const std::string& location, uint64_t offset,
                                        uint64_t length);

 private:
  std::string folder_;
  std::map<std::string, std::vector<uint8_t>> files_;
};

}  // namespace tessera::onnx_model

#endif  // TESSERA_COMPILER_IMPORT_ONNX_EXTERNAL_H_
