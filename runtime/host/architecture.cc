// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/architecture.h"

#include <cmath>
#include <cstring>

#include "runtime/host/threads.h"

#if defined(__arm__)
// Functions of the compiler's own library (the Arm run-time ABI, IHI 0043).
extern "C" {
void __aeabi_idiv();
void __aeabi_uidiv();
void __aeabi_idivmod();
void __aeabi_uidivmod();
void __aeabi_ldivmod();
void __aeabi_uldivmod();
void __aeabi_l2f();
void __aeabi_l2d();
void __aeabi_f2lz();
void __aeabi_d2lz();
}
#endif

namespace tessera {

const HostArchitecture* ThisArchitecture() {
#if defined(__x86_64__)
  return &kX8664Architecture;
#elif defined(__aarch64__)
  return &kAarch64Architecture;
#elif defined(__arm__)
  return &kArmArchitecture;
#else
  return nullptr;
#endif
}

std::span<const HostExternal> HostExternals() {
  static const HostExternal externals[] = {
    {"memcpy",
     reinterpret_cast<uintptr_t>(static_cast<void* (*)(void*, const void*, size_t)>(&std::memcpy))},
    {"memmove", reinterpret_cast<uintptr_t>(
                    static_cast<void* (*)(void*, const void*, size_t)>(&std::memmove))},
    {"memset",
     reinterpret_cast<uintptr_t>(static_cast<void* (*)(void*, int, size_t)>(&std::memset))},
    {"tessera_parallel", reinterpret_cast<uintptr_t>(&tessera_parallel)},
#if defined(__arm__)
    {"__aeabi_idiv", reinterpret_cast<uintptr_t>(&__aeabi_idiv)},
    {"__aeabi_uidiv", reinterpret_cast<uintptr_t>(&__aeabi_uidiv)},
    {"__aeabi_idivmod", reinterpret_cast<uintptr_t>(&__aeabi_idivmod)},
    {"__aeabi_uidivmod", reinterpret_cast<uintptr_t>(&__aeabi_uidivmod)},
    {"__aeabi_ldivmod", reinterpret_cast<uintptr_t>(&__aeabi_ldivmod)},
    {"__aeabi_uldivmod", reinterpret_cast<uintptr_t>(&__aeabi_uldivmod)},
    {"__aeabi_l2f", reinterpret_cast<uintptr_t>(&__aeabi_l2f)},
    {"__aeabi_l2d", reinterpret_cast<uintptr_t>(&__aeabi_l2d)},
    {"__aeabi_f2lz", reinterpret_cast<uintptr_t>(&__aeabi_f2lz)},
    {"__aeabi_d2lz", reinterpret_cast<uintptr_t>(&__aeabi_d2lz)},
    {"roundevenf", reinterpret_cast<uintptr_t>(static_cast<float (*)(float)>(&::roundevenf))},
    {"roundeven", reinterpret_cast<uintptr_t>(static_cast<double (*)(double)>(&::roundeven))},
    {"floorf", reinterpret_cast<uintptr_t>(static_cast<float (*)(float)>(&::floorf))},
    {"floor", reinterpret_cast<uintptr_t>(static_cast<double (*)(double)>(&::floor))},
    {"fmaf", reinterpret_cast<uintptr_t>(static_cast<float (*)(float, float, float)>(&::fmaf))},
#endif
  };
  return externals;
}

}  // namespace tessera
