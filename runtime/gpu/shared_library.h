// SPDX-License-Identifier: Apache-2.0
//
// Functions found by name in a library that is opened at run time, so that nothing needs it to be
// built. Used by the drivers of GPUs and by bench/peers.
#ifndef TESSERA_RUNTIME_GPU_SHARED_LIBRARY_H_
#define TESSERA_RUNTIME_GPU_SHARED_LIBRARY_H_

#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera {

// Whose library it is, under which names it may be found, what helps.
struct LibraryUse {
  std::string user;                // begins every message: "device cuda"
  std::vector<std::string> names;  // files, or names for the loader's search; the first that opens
  std::string if_missing, if_old;  // end the messages: no such library; it lacks a function
};

// A pointer to a function and the name of what it shall point to, or a newer name and an older.
struct NamedFunction {
  template <typename Function>
  NamedFunction(Function*& the_function, const char* the_name, const char* the_older = nullptr)
      : function(&the_function), name(the_name), older(the_older) {}

  void* function;
  const char *name, *older;
};

// Fills |functions| from a library, which stays open to the process's end.
//   errors  kUnsupported  none of the names opens: the loader's reason for each; the first
//                         function that it lacks
Status LoadFunctions(const LibraryUse& use, std::span<const NamedFunction> functions);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_GPU_SHARED_LIBRARY_H_
