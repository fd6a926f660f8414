// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/shared_library.h"

#include <dlfcn.h>

#include <cstring>

namespace tessera {
namespace {

// Opens the first library that opens. |opened|: its name.
Result<void*> OpenFirst(const LibraryUse& use, std::string* opened) {
  std::string reasons;
  for (const std::string& name : use.names) {
    void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) {
      *opened = name;
      return handle;
    }
    const char* const why = dlerror();  // begins with the file at fault
    reasons += (why != nullptr ? std::string(why) : name + ": does not open") + "; ";
  }
  return Fail(Code::kUnsupported, "{}: {}{}", use.user, reasons, use.if_missing);
}

}  // namespace

Status LoadFunctions(const LibraryUse& use, std::span<const NamedFunction> functions) {
  std::string opened;
  TESSERA_ASSIGN(void* const handle, OpenFirst(use, &opened));
  for (const NamedFunction& f : functions) {
    void* found = dlsym(handle, f.name);
    if (found == nullptr && f.older != nullptr) found = dlsym(handle, f.older);
    if (found == nullptr)
      return Fail(Code::kUnsupported, "{}: {} has no {}; {}", use.user, opened, f.name, use.if_old);
    std::memcpy(f.function, &found, sizeof found);
  }
  return {};
}

}  // namespace tessera
