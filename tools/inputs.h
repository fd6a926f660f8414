// SPDX-License-Identifier: Apache-2.0
//
// What --input, --labels, --first and the options of pixels mean, for all verbs that run models.
// Depends on: runtime/tensor, runtime/executor/inputs.h. Used by: run, compare, trace, debug.
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
  std::string flag = "--input";    // how it is given
  std::string labels, resize;
  int64_t first = -1;  // -1: all
  std::optional<double> scale;
  std::vector<double> mean, std;
};

void AddInputOptions(CLI::App& verb, InputOptions& options);

// --input and the options of pixels, of a verb that runs one item.
void AddOneInputOption(CLI::App& verb, InputOptions& options);

struct Inputs {
  std::vector<HostTensor> items;  // one an input of the model, [N, ...] each
  std::vector<int64_t> labels;    // empty, or one an item
  int64_t count = 0;              // N
  int64_t all = 0;                // in the files, of which N are the first
  PixelRule pixels;               // for ExecutorOptions::pixels
  std::string pixels_line;        // what pixels become, a line an input; "": none are given
  // Item |i| of each input.
  std::vector<HostTensor> Item(int64_t i) const;
};

// Reads the files for the inputs of |net| and cuts them to the first |first| items.
//   errors  those of the readers; CountInferences' and CheckPixelRule's, with the file
//           kInvalidArgument  a name that is no input; an input without a file, or with two; files
//                             of another number of items; labels that are not one whole number an
//                             item; options of pixels where no pixels are given
//           kOutOfRange       --first past the end
Result<Inputs> LoadInputs(const InputOptions& options, const artifact::Artifact& net);

// Where each of |given|, FILE or NAME=FILE, belongs among |tensors|: a file each, "" where none is
// given. |option|, "--input", and |kind|, "inputs", are for messages.
//   errors  kInvalidArgument  a name that is not there; two for one; FILE where there are several
Result<std::vector<std::string>> FilesByName(const std::vector<std::string>& given,
                                             const std::vector<artifact::TensorInfo>& tensors,
                                             const std::string& option, const std::string& kind);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_INPUTS_H_
