// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files (format 1.0 to 3.0, C order, little-endian), and IDX files, plain or
// gzip-compressed, as in data sets like MNIST. Both are untrusted input.
#ifndef TESSERA_RUNTIME_TENSOR_NPY_H_
#define TESSERA_RUNTIME_TENSOR_NPY_H_

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "runtime/tensor/tensor.h"

namespace tessera {

// Reads a .npy file.
//   errors  kNotFound         the file cannot be opened
//           kInvalidArgument  not .npy, Fortran order, big-endian or a type outside DType
//           kDataLoss         shorter or longer than its header says
//           kOutOfRange       a file over 4 GiB
Result<HostTensor> ReadNpy(const std::string& path);
// The same for a file's |bytes|; messages begin with |place|.
Result<HostTensor> ParseNpy(std::span<const uint8_t> bytes, const std::string& place);

// Writes |tensor| in format 1.0. Errors: WriteFile's.
Status WriteNpy(const std::string& path, const HostTensor& tensor);

// Reads an IDX file of unsigned bytes; recognises .gz by its first bytes.
//   errors  as ReadNpy; kOutOfRange  also over 4 GiB unpacked; kUnsupported  other element types
Result<HostTensor> ReadIdx(const std::string& path);

// ReadNpy or ReadIdx, by the file's first bytes.
Result<HostTensor> ReadTensorFile(const std::string& path);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_TENSOR_NPY_H_
