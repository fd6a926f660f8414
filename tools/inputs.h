// SPDX-License-Identifier: Apache-2.0
//
// Reads the files of --input and --labels, and applies --first and the options of pixels, for all
// verbs that run models. Depends on: runtime/tensor, runtime/executor/inputs.h. Used by: run,
// compare, quantize, trace, debug.
#ifndef TESSERA_TOOLS_INPUTS_H_
#define TESSERA_TOOLS_INPUTS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/artifact/artifact.h"
#include "runtime/executor/inputs.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tools {

struct InputOptions {
  std::vector<std::string> input;  // FILE, FOLDER or NAME=FILE
  std::string flag = "--input";    // the option's name, for messages
  std::string labels, resize;
  int64_t first = -1;  // -1: all
  std::optional<double> scale;
  std::vector<double> mean, std;
};

void AddInputOptions(CLI::App& verb, InputOptions& options);

// Adds --input and the options of pixels to a verb that runs one item.
void AddOneInputOption(CLI::App& verb, InputOptions& options);

struct Inputs {
  std::vector<HostTensor> items;  // one for each input of the model, [N, ...] each
  std::vector<int64_t> labels;    // empty, or one for each item
  int64_t count = 0;              // N
  int64_t all = 0;                // items in the files; the first N are used
  PixelRule pixels;               // for ExecutorOptions::pixels
  std::string pixels_line;        // what pixels become, one line for each input; "": no pixels
  // |many| items from |first| on, of each input.
  std::vector<HostTensor> Items(int64_t first, int64_t many) const;
  std::vector<HostTensor> Item(int64_t i) const { return Items(i, 1); }
};

// Reads the files for the inputs of |net| and cuts them to the first |first| items.
//   errors  kInvalidArgument  a name that is not an input; an input without a file, or with two;
//                             files with different numbers of items; labels that are not one whole
//                             number for each item; options of pixels without pixels
//           kOutOfRange       --first past the end
//           others            as the readers, CountInferences and CheckPixelRule, with the file
Result<Inputs> LoadInputs(const InputOptions& options, const artifact::Artifact& net);

// Matches |given|, each FILE or NAME=FILE, to |tensors|: a file for each tensor, "" without one.
// |option|, "--input", and |kind|, "inputs", are for messages.
//   errors  kInvalidArgument  an unknown name; two files for one tensor; FILE for several tensors
Result<std::vector<std::string>> FilesByName(const std::vector<std::string>& given,
                                             const std::vector<artifact::TensorInfo>& tensors,
                                             const std::string& option, const std::string& kind);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_INPUTS_H_
