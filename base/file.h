// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes whole files. A file appears under its final name complete or not at all.
#ifndef TESSERA_BASE_FILE_H_
#define TESSERA_BASE_FILE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tessera {

// Reads all of |path|.
//   errors  kNotFound    the file cannot be opened, or is a folder
//           kOutOfRange  the file is larger than |max_bytes|
//           kDataLoss    the file cannot be read to its end
Result<std::vector<uint8_t>> ReadFile(const std::string& path,
                                      uint64_t max_bytes = uint64_t{1} << 31);

// The first |count| bytes of |path|, or fewer; none if it cannot be read.
std::vector<uint8_t> FirstBytes(const std::string& path, size_t count);

// Writes |bytes| to a temporary file beside |path|, then renames it. So an error or a killed
// process leaves no partial file under the final name. Writes directly to a |path| that is not an
// ordinary file (a pipe, a device).
//   errors  kUnavailable  the folder does not exist or cannot be written, or the disk is full
Status WriteFile(const std::string& path, std::span<const uint8_t> bytes);
Status WriteFile(const std::string& path, std::string_view text);

// Checks that WriteFile can begin, for files that are written after long work. Leaves nothing
// behind.
//   errors  kUnavailable  as WriteFile, apart from a disk that becomes full
Status CheckWritable(const std::string& path);

}  // namespace tessera

#endif  // TESSERA_BASE_FILE_H_
