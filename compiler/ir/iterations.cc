// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/iterations.h"

namespace tessera::ir {

IterationLog::Log& IterationLog::Of(const Array& array) {
  Log& log = logs_[&array];
  if (log.stored.empty()) {
    log.stored.assign(static_cast<size_t>(array.size()), kNone);
    log.loaded = log.stored;
  }
  return log;
}

std::optional<Meeting> IterationLog::Load(const Array& array, int64_t element) {
  Log& log = Of(array);
  const auto e = static_cast<size_t>(element);
  if (log.stored[e] != kNone && log.stored[e] != now_) return Meeting{log.stored[e], now_};
  if (log.loaded[e] == kNone) log.loaded[e] = now_;
  return std::nullopt;
}

std::optional<Meeting> IterationLog::Store(const Array& array, int64_t element) {
  Log& log = Of(array);
  const auto e = static_cast<size_t>(element);
  const int64_t stored = log.stored[e], loaded = log.loaded[e];
  if (stored != kNone && stored != now_) return Meeting{stored, now_};
  // Iterations run in order: if this one loaded the element first, no other one has loaded it.
  if (loaded != kNone && loaded != now_) return Meeting{loaded, now_};
  log.stored[e] = now_;
  return std::nullopt;
}

}  // namespace tessera::ir
