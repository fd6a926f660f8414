// SPDX-License-Identifier: Apache-2.0
//
// A network of two accelerator programs with a host layer between them.
// Depends on: tests/compiler/import. Used by: mixed_test.cc, tests/sim/rtl/waveform_test.cc.
#ifndef TESSERA_TESTS_TOOLS_MIXED_MODEL_H_
#define TESSERA_TESTS_TOOLS_MIXED_MODEL_H_

#include <string>

namespace tessera::test {

// Writes a TFLite file: conv 3x3, exchange of y and x, conv 3x3; its input x is int8 [1, 8, 6, 16],
// channels last. Returns |path|.
std::string WriteMixedModel(const std::string& path);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_TOOLS_MIXED_MODEL_H_
