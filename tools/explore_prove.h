// SPDX-License-Identifier: Apache-2.0
//
// Stage prove of `tessera explore`: the RTL of a machine beside the cycle model, and its synthesis.
// Depends on: sim/rig, runtime/executor, base/process.h. Used by: explore.cc.
#ifndef TESSERA_TOOLS_EXPLORE_PROVE_H_
#define TESSERA_TOOLS_EXPLORE_PROVE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "hw/predict/silicon.h"
#include "tools/import_words.h"

namespace tessera::tools {

// Runs each of |models| with one random input, and some random programs, on devices `cycle` and
// `rtl` of the configuration in |config_path|, in a process of its own.
//   returns  what was compared, in words
//   errors   kDataLoss  results or cycles differ: names the model or the program's seed
//            those of the compiler and of the devices
Result<std::string> ProveMachine(const std::string& config_path,
                                 const std::vector<std::string>& models, const ImportWords& import,
                                 uint64_t seed);

// Synthesises the machine of the configuration in |config_path| for |part| with yosys
// (hw/scripts/synth.sh), which takes minutes.
//   errors  kUnsupported  there is no source tree here
//           kUnavailable  the script fails: its last line
Result<hw::Silicon> SynthesiseMachine(const std::string& config_path, const std::string& part,
                                      const std::string& family);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_EXPLORE_PROVE_H_
