// SPDX-License-Identifier: Apache-2.0
//
// A library to preload, only for XRT's software emulation as Debian 12 builds it (2.13);
// emulated.sh preloads it. In that build, CpuemShim::alloc_void keeps one buffer for messages. If a
// message is larger than the first, it calls realloc and drops the result, so the next message goes
// to freed memory. The upstream source at that tag is correct.
//
// malloc gives alloc_void a region that holds every message, and realloc gives alloc_void the same
// region back. All other calls go to the program's allocator unchanged.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr size_t kRegion = size_t{24} << 20;  // XRT sends at most 8 MiB and a head at once
constexpr uintptr_t kFunctionBytes = 0x70;    // bytes of alloc_void in Debian's build
constexpr char kLibrary[] = "libxrt_swemu";
constexpr char kFunction[] = "_ZN12xclcpuemhal29CpuemShim10alloc_voidEm";

uintptr_t function = 0;  // address of alloc_void, once its library is loaded

// The function |name| that the program would have without this library.
template <typename Function>
Function Behind(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool Within(void* caller) {
  return function != 0 && reinterpret_cast<uintptr_t>(caller) - function < kFunctionBytes;
}

}  // namespace

extern "C" {

void* malloc(size_t bytes) {
  static const auto real = Behind<void* (*)(size_t)>("malloc");
  return real(Within(__builtin_return_address(0)) && bytes < kRegion ? kRegion : bytes);
}

void* realloc(void* old, size_t bytes) {
  static const auto real = Behind<void* (*)(void*, size_t)>("realloc");
  if (!Within(__builtin_return_address(0))) return real(old, bytes);
  if (bytes <= kRegion) return old;
  std::fprintf(stderr, "alloc_void: a message of XRT's has %zu bytes, the region %zu\n", bytes,
               kRegion);
  std::abort();
}

void* dlopen(const char* file, int mode) {
  static const auto real = Behind<void* (*)(const char*, int)>("dlopen");
  void* handle = real(file, mode);
  if (handle != nullptr && file != nullptr && std::strstr(file, kLibrary) != nullptr) {
    function = reinterpret_cast<uintptr_t>(dlsym(handle, kFunction));
  }
  return handle;
}
}
