// SPDX-License-Identifier: Apache-2.0
//
// Finds functions by name in a library that the program opens at run time, so that no build needs
// the library. Used by the drivers of GPUs and by bench/peers.
#ifndef TESSERA_RUNTIME_GPU_SHARED_LIBRARY_H_
#define TESSERA_RUNTIME_GPU_SHARED_LIBRARY_H_

#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera {

// The user of a library, the names to try, and the ends of messages.
struct LibraryUse {
  std::string user;                // begins every message: "device cuda"
  std::vector<std::string> names;  // files, or names for the loader's search; the first that opens
  std::string if_missing, if_old;  // how to help if no library opens; if it lacks a function
};

// A pointer to a function and the name of that function in the library, with an older name if any.
struct NamedFunction {
  template <typename Function>
  NamedFunction(Function*& the_function, const char* the_name, const char* the_older = nullptr)
      : function(&the_function), name(the_name), older(the_older) {}

  void* function;
  const char *name, *older;
};

// Fills |functions| from a library, which stays open until the process ends.
//   errors  kUnsupported  none of the names opens: the loader's reason for each; or the first
//                         function that the library lacks
Status LoadFunctions(const LibraryUse& use, std::span<const NamedFunction> functions);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_GPU_SHARED_LIBRARY_H_
