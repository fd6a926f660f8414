// SPDX-License-Identifier: Apache-2.0
//
// The file by which run_kernel.cc and arm_runner.cc exchange a call: the object, the symbol, and
// the buffers, each as a length of 32 bits and its bytes. Both ends are little-endian.
#ifndef TESSERA_TESTS_COMPILER_LLVM_CALL_FILE_H_
#define TESSERA_TESTS_COMPILER_LLVM_CALL_FILE_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "runtime/host/host_code.h"
#include "runtime/host/threads.h"

namespace tessera::test {

inline Status WriteParts(const std::string& path, std::span<const std::vector<uint8_t>> parts) {
  std::vector<uint8_t> bytes;
  for (const std::vector<uint8_t>& part : parts) {
    const auto length = static_cast<uint32_t>(part.size());
    const auto* raw = reinterpret_cast<const uint8_t*>(&length);
    bytes.insert(bytes.end(), raw, raw + sizeof length);
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return WriteFile(path, bytes);
}

inline Result<std::vector<std::vector<uint8_t>>> ReadParts(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  std::vector<std::vector<uint8_t>> parts;
  for (size_t at = 0; at < bytes.size();) {
    uint32_t length = 0;
    if (bytes.size() - at < sizeof length) return Fail(Code::kDataLoss, "{}: cut off", path);
    std::memcpy(&length, &bytes[at], sizeof length);
    at += sizeof length;
    if (bytes.size() - at < length) return Fail(Code::kDataLoss, "{}: cut off", path);
    const auto begin = bytes.begin() + static_cast<int64_t>(at);
    parts.emplace_back(begin, begin + static_cast<int64_t>(length));
    at += length;
  }
  return parts;
}

// The call itself, in this process, by up to four threads if it has parallel loops.
inline Status CallHere(std::span<const uint8_t> object, const std::string& symbol,
                       std::span<std::vector<uint8_t>> buffers) {
  TESSERA_ASSIGN(const HostCode code, HostCode::Load(object));
  TESSERA_ASSIGN(const HostKernel kernel, code.Find(symbol));
  std::vector<void*> memory;
  for (const std::vector<uint8_t>& buffer : buffers) {
    memory.push_back(std::aligned_alloc(64, (buffer.size() + 127) / 64 * 64));
    if (!buffer.empty()) std::memcpy(memory.back(), buffer.data(), buffer.size());
  }
  std::unique_ptr<HostThreads> pool;
  const std::string_view name = "tessera_parallel";
  if (!std::ranges::search(object, name).empty()) {  // costs more than most of the kernels
    TESSERA_ASSIGN(pool, HostThreads::Make(std::min(4, AllowedProcessors())));
  }
  const UseThreads use(pool.get());
  kernel(memory.data());
  for (size_t i = 0; i < memory.size(); ++i) {
    if (!buffers[i].empty()) std::memcpy(buffers[i].data(), memory[i], buffers[i].size());
    std::free(memory[i]);
  }
  return {};
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_LLVM_CALL_FILE_H_
