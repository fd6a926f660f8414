// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_external.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace tessera::onnx_model {
namespace {

namespace fs = std::filesystem;

// Whether |file| lies inside |folder| after all links are resolved.
bool IsInside(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const fs::path home = fs::weakly_canonical(folder, error);
  if (error) return false;
  const fs::path real = fs::weakly_canonical(file, error);
  if (error) return false;
  const auto [end, rest] = std::ranges::mismatch(home, real);
  return end == home.end();
}

}  // namespace

Result<std::span<const uint8_t>> ExternalFiles::Whole(const std::string& location) {
  if (folder_.empty() || location.empty()) {
    return Fail(Code::kUnsupported,
                "its data are in another file{}; save the model with all data inside",
                location.empty() ? ", which it does not name" : "");
  }
  const fs::path file = fs::path(folder_) / location;
  if (fs::path(location).is_absolute() || !IsInside(folder_, file)) {
    return Fail(Code::kInvalidArgument,
                "its data are in file '{}', which is outside of the model's folder; only files "
                "inside of it are read",
                Legible(location));
  }
  auto it = files_.find(location);
  if (it == files_.end()) {
    TESSERA_ASSIGN(std::vector<uint8_t> bytes, ReadFile(file.string()));
    it = files_.emplace(location, std::move(bytes)).first;
  }
  return it->second;
}

Result<std::span<const uint8_t>> ExternalFiles::Read(const std::string& location, uint64_t offset,
                                                     uint64_t length) {
  TESSERA_ASSIGN(const std::span<const uint8_t> bytes, Whole(location));
  if (offset > bytes.size() || length > bytes.size() - offset) {
    return Fail(Code::kDataLoss, "its data are {} bytes from {} on of file '{}', which has {}",
                length, offset, Legible(location), bytes.size());
  }
  return bytes.subspan(offset, length);
}

}  // namespace tessera::onnx_model
