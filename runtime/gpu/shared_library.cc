// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/shared_library.h"

#include <dlfcn.h>

namespace tessera {

Result<SharedLibrary> SharedLibrary::Open(const std::string& user, const std::string& path,
                                          const std::string& way_out) {
  SharedLibrary made;
  made.user_ = user;
  made.path_ = path;
  made.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (made.handle_ == nullptr)
    return Fail(Code::kUnsupported, "{}: {} is not on this machine; {}", user, path, way_out);
  return made;
}

void* SharedLibrary::Symbol(const char* name) {
  void* const found = dlsym(handle_, name);
  if (found == nullptr && missing_.empty()) missing_ = name;
  return found;
}

Status SharedLibrary::HasAll(const std::string& way_out) const {
  if (missing_.empty()) return {};
  return Fail(Code::kUnsupported, "{}: {} has no {}; {}", user_, path_, missing_, way_out);
}

}  // namespace tessera
