// SPDX-License-Identifier: Apache-2.0
//
// The drivers that a test program of this folder compares with func.
#ifndef TESSERA_TESTS_COSIM_MACHINES_H_
#define TESSERA_TESTS_COSIM_MACHINES_H_

#include <span>

namespace tessera::cosim {

std::span<const char* const> Machines();

}  // namespace tessera::cosim

#endif  // TESSERA_TESTS_COSIM_MACHINES_H_
