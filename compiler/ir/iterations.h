// SPDX-License-Identifier: Apache-2.0
//
// Records which iteration of a parallel loop accessed which element: the interpreter, which runs
// iterations in order, uses it to find conflicts. Depends on array.h. Used by: interp.cc.
#ifndef TESSERA_COMPILER_IR_ITERATIONS_H_
#define TESSERA_COMPILER_IR_ITERATIONS_H_

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/ir/array.h"

namespace tessera::ir {

// Two iterations of one loop that conflict.
struct Meeting {
  int64_t first = 0, second = 0;
};

// The accesses of one run of a parallel loop.
class IterationLog {
 public:
  void Begin(int64_t iteration) { now_ = iteration; }
  // Drops an array whose allocation ends: arrays allocated in an iteration belong to it alone.
  void Forget(const Array* array) { logs_.erase(array); }
  // Record an access to |element|. Return a conflict with another iteration: one of the two stores.
  std::optional<Meeting> Load(const Array& array, int64_t element);
  std::optional<Meeting> Store(const Array& array, int64_t element);

 private:
  static constexpr int64_t kNone = -1;
  struct Log {
    std::vector<int64_t> stored, loaded;  // by element: the first iteration that did so, or kNone
  };
  Log& Of(const Array& array);

  int64_t now_ = 0;
  std::unordered_map<const Array*, Log> logs_;
};

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_ITERATIONS_H_
