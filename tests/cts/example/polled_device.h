// SPDX-License-Identifier: Apache-2.0
//
// The worked example of docs/adding/driver.md: a driver made like one for a board. It reaches a
// machine by register reads and writes alone and waits by polling; the machine behind it is
// verilated, so that tests/cts can run it. Depends on: runtime/device, sim/rtl (the machine). Used
// by: tests/cts.
#ifndef TESSERA_TESTS_CTS_EXAMPLE_POLLED_DEVICE_H_
#define TESSERA_TESTS_CTS_EXAMPLE_POLLED_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera::cts {

Driver PolledDriver();

}  // namespace tessera::cts

#endif  // TESSERA_TESTS_CTS_EXAMPLE_POLLED_DEVICE_H_
