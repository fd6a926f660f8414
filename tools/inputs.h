// SPDX-License-Identifier: Apache-2.0
//
// What --input, --labels and --first mean, for all verbs that run models.
#ifndef TESSERA_TOOLS_INPUTS_H_
#define TESSERA_TOOLS_INPUTS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tools {

struct InputOptions {
  std::string input, labels;
  int64_t first = -1;  // -1: all
};

void AddInputOptions(CLI::App& verb, InputOptions& options);

// --input of a verb that runs one item.
void AddOneInputOption(CLI::App& verb, std::string& input);

struct Inputs {
  HostTensor items;             // [N, ...]
  std::vector<uint8_t> labels;  // empty, or one an item
  int64_t count() const { return items.shape.empty() ? 0 : items.shape[0]; }
};

// Reads the files and cuts them to the first |first| items. The model's input type and shape are
// checked by the executor. errors: those of ReadTensorFile; kInvalidArgument labels that are not
// one byte an item; kOutOfRange --first past the end
Result<Inputs> LoadInputs(const InputOptions& options);

// Index of the greatest of |values| (the first of equals).
int64_t ArgMax(const HostTensor& values);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_INPUTS_H_
