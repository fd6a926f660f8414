// SPDX-License-Identifier: Apache-2.0
//
// The list of drivers: the result of Drivers() in every program of this build, also in the VTA
// library. A driver is one line here; tessera_driver() in its CMakeLists.txt links its library.
#include "runtime/device/registry.h"
#include "runtime/drivers/null/null_device.h"
#include "runtime/drivers/serial/serial_device.h"
#include "runtime/drivers/xrt/xrt_device.h"
#include "runtime/drivers/zynq/zynq_device.h"
#include "sim/func/func_device.h"
#if !defined(TESSERA_RUNTIME_ONLY)
#include "runtime/drivers/remote/remote_device.h"
#include "sim/cycle/cycle_device.h"
#include "sim/hls/hls_device.h"
#include "sim/rtl/rtl_device.h"
#endif

namespace tessera {

std::span<const Driver> Drivers() {
  static const Driver drivers[] = {
    sim::FuncDriver(),
#if !defined(TESSERA_RUNTIME_ONLY)
    sim::CycleDriver(),
    sim::HlsDriver(),
    sim::RtlDriver(),
#endif
    XrtDriver(),
    NullDriver(),
    ZynqDriver(),
    SerialDriver(),
#if !defined(TESSERA_RUNTIME_ONLY)
    RemoteDriver(),
#endif
  };
  return drivers;
}

}  // namespace tessera
