// SPDX-License-Identifier: Apache-2.0
//
// Runs a schedule in steps for the accelerator on the functional simulator against the definition.
#ifndef TESSERA_TESTS_COMPILER_ACCEL_STEPS_RUN_H_
#define TESSERA_TESTS_COMPILER_ACCEL_STEPS_RUN_H_

#include <string>

#include "base/rng.h"
#include "compiler/te/te.h"
#include "isa/config.h"
#include "runtime/device.h"

namespace tessera::test {

// Expects that the program of |steps| computes |y| from random inputs. Inputs named multiplier,
// shift and bias get values that fit a record's fields.
void ExpectExact(const te::Tensor& y, const std::string& steps, const isa::Config& config,
                 Rng& rng);
// The same on |device|; returns its cycles.
uint64_t ExpectExactOn(Device& device, const te::Tensor& y, const std::string& steps, Rng& rng);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_ACCEL_STEPS_RUN_H_
