// SPDX-License-Identifier: Apache-2.0
//
// Which iteration of a parallel loop touched which element: how the interpreter, which runs them in
// order, finds two that may not run at the same time. Depends on array.h. Used by: interp.cc.
#ifndef TESSERA_COMPILER_IR_ITERATIONS_H_
#define TESSERA_COMPILER_IR_ITERATIONS_H_

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/ir/array.h"

namespace tessera::ir {

// Two iterations of one loop.
struct Meeting {
  int64_t first = 0, second = 0;
};

// The accesses of one run of a parallel loop.
class IterationLog {
 public:
  void Begin(int64_t iteration) { now_ = iteration; }
  // Arrays that begin inside an iteration are its own: they are forgotten where they end.
  void Forget(const Array* array) { logs_.erase(array); }
  // This iteration and another one at |element|, of which one stores.
  std::optional<Meeting> Load(const Array& array, int64_t element);
  std::optional<Meeting> Store(const Array& array, int64_t element);

 private:
  static constexpr int64_t kNone = -1;
  struct Log {
    std::vector<int64_t> stored, loaded;  // by element: the first iteration that did, or kNone
  };
  Log& Of(const Array& array);

  int64_t now_ = 0;
  std::unordered_map<const Array*, Log> logs_;
};

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_ITERATIONS_H_
