// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/tensor_intrin.h"

#include <map>
#include <mutex>

namespace tessera::schedule {
namespace {

std::mutex& Mutex() {
  static std::mutex mutex;
  return mutex;
}

std::map<std::string, TensorIntrin>& Table() {
  static std::map<std::string, TensorIntrin> table;
  return table;
}

}  // namespace

void RegisterTensorIntrin(TensorIntrin intrin) {
  const std::lock_guard lock(Mutex());
  Table()[intrin.name] = std::move(intrin);
}

std::optional<TensorIntrin> FindTensorIntrin(const std::string& name) {
  const std::lock_guard lock(Mutex());
  auto it = Table().find(name);
  if (it == Table().end()) return std::nullopt;
  return it->second;
}

}  // namespace tessera::schedule
