// SPDX-License-Identifier: Apache-2.0
//
// For builds for boards, which lack the libraries of archives and pictures: every call is an error.
#include "base/file.h"
#include "runtime/tensor/npz.h"
#include "runtime/tensor/picture.h"

namespace tessera {

bool LooksLikeNpz(const std::string& path) {
  return FirstBytes(path, 4) == std::vector<uint8_t>{'P', 'K', 3, 4};
}

Result<std::vector<std::pair<std::string, HostTensor>>> ReadNpz(const std::string& path) {
  return Fail(Code::kUnsupported,
              "{}: this tessera, made for a board, reads no .npz; save each array as .npy", path);
}

bool LooksLikePicture(const std::string& path) {
  const std::vector<uint8_t> bytes = FirstBytes(path, 3);
  return bytes == std::vector<uint8_t>{0x89, 'P', 'N'} ||
         bytes == std::vector<uint8_t>{0xff, 0xd8, 0xff};
}

Result<HostTensor> ReadPicture(const std::string& path) {
  return Fail(Code::kUnsupported,
              "{}: this tessera, made for a board, reads no pictures; save them as .npy", path);
}

}  // namespace tessera
