// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npz files: zip archives of .npy files, stored or deflated, read by libzip. Untrusted
// input. Depends on: npy.h. Used by: tools/inputs.cc.
#ifndef TESSERA_RUNTIME_TENSOR_NPZ_H_
#define TESSERA_RUNTIME_TENSOR_NPZ_H_

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "runtime/tensor/tensor.h"

namespace tessera {

// Whether the file at |path| begins as a zip archive does.
bool LooksLikeNpz(const std::string& path);

// The arrays of an archive with their names, without ".npy", in the archive's order.
//   errors  kNotFound         the file cannot be opened
//           kDataLoss         not a whole archive, or a wrong checksum of an entry
//           kInvalidArgument  an entry is not .npy, is encrypted or has another packing; a repeated
//                             name
//           kOutOfRange       more than 4 GiB unpacked, or more than 1,000 entries
//           kUnsupported      this build, for a board, reads no archives
Result<std::vector<std::pair<std::string, HostTensor>>> ReadNpz(const std::string& path);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_TENSOR_NPZ_H_
