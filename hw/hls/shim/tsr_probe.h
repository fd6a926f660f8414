// SPDX-License-Identifier: Apache-2.0
//
// What a simulator wants to know of a top while it runs: instructions started and retired, bytes
// changed. Nothing of it exists in synthesis. C++14.
#ifndef TSR_HLS_SHIM_TSR_PROBE_H_
#define TSR_HLS_SHIM_TSR_PROBE_H_

#ifdef __SYNTHESIS__

#define TSR_PROBE_START(number)
#define TSR_PROBE_RETIRE(number)
#define TSR_PROBE_WRITE(space, address, before, after, bytes)

#else

#include <cstdint>

namespace hls_shim {

class probe {
 public:
  virtual ~probe() {}
  // The tokens of an instruction are taken; its effects begin when this returns.
  virtual void start(uint32_t number) = 0;
  // Its effects are visible and there is room for the tokens that it gives.
  virtual void retire(uint32_t number) = 0;
  // Bytes of |space| (sim/trace/digest.h) change.
  virtual void change(int space, uint64_t address, const void* before, const void* after,
                      int bytes) = 0;
  bool wants_changes = false;
};

// The probe of the calling thread, or null.
inline probe*& current_probe() {
  static thread_local probe* one = nullptr;
  return one;
}

}  // namespace hls_shim

#define TSR_PROBE_START(number) \
  if (hls_shim::current_probe() != nullptr) hls_shim::current_probe()->start(number)
#define TSR_PROBE_RETIRE(number) \
  if (hls_shim::current_probe() != nullptr) hls_shim::current_probe()->retire(number)
#define TSR_PROBE_WRITE(space, address, before, after, bytes)                           \
  if (hls_shim::current_probe() != nullptr && hls_shim::current_probe()->wants_changes) \
  hls_shim::current_probe()->change(space, address, before, after, bytes)

#endif  // __SYNTHESIS__

#endif  // TSR_HLS_SHIM_TSR_PROBE_H_
