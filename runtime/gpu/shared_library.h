// SPDX-License-Identifier: Apache-2.0
//
// Functions found by name in a library that is opened at run time, so that nothing needs it to be
// built. Used by the drivers of GPUs and by bench/peers.
#ifndef TESSERA_RUNTIME_GPU_SHARED_LIBRARY_H_
#define TESSERA_RUNTIME_GPU_SHARED_LIBRARY_H_

#include <string>
#include <type_traits>

#include "base/error.h"

namespace tessera {

// A library that stays open to the process's end.
class SharedLibrary {
 public:
  // |path|: a file, or a name for the loader's search. |user| begins every message ("device cuda").
  // errors: kUnsupported it cannot be opened; |way_out| ends the message
  static Result<SharedLibrary> Open(const std::string& user, const std::string& path,
                                    const std::string& way_out);

  // Null where there is none.
  template <typename Function>
  void Find(Function& function, const char* name) {
    function = reinterpret_cast<std::decay_t<Function>>(Symbol(name));
  }

  // errors: kUnsupported a function that was looked for is missing: the first one's name
  Status HasAll(const std::string& way_out) const;

 private:
  void* Symbol(const char* name);

  std::string user_, path_, missing_;
  void* handle_ = nullptr;
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_GPU_SHARED_LIBRARY_H_
