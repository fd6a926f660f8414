// SPDX-License-Identifier: Apache-2.0
//
// A .tflite file whose tables are verified and whose references all hit: tensors, buffers and
// operator codes that indices name are there, data are as long as their shapes say. Nothing here
// knows what an operator means. Untrusted input. Used by compiler/import/tflite.cc and its parts.
#ifndef TESSERA_COMPILER_IMPORT_TFLITE_MODEL_H_
#define TESSERA_COMPILER_IMPORT_TFLITE_MODEL_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/import/tflite_schema.h"

namespace tessera::tflite_model {

using tflite_file::BuiltinOperator;
using tflite_file::TensorType;

// The format's names, "INT8"; a number where it has none.
std::string TypeText(TensorType type);

struct TfliteTensor {
  int index = 0;     // in the file
  std::string name;  // one line, at most 200 characters
  TensorType type{};
  std::vector<int64_t> shape;     // in the file's order; extents of 0 or more
  std::vector<bool> open;         // by axis: any extent may stand here when the model runs
  std::span<const uint8_t> data;  // empty: not a constant
  const tflite_file::Quantization* quantization = nullptr;
  bool variable = false;  // keeps its value from inference to inference, at first 0

  bool constant() const { return !data.empty(); }
  // "tensor 12 'conv1/Relu'"
  std::string Place() const;
};

struct Operator {
  int index = 0;  // in the file
  BuiltinOperator code{};
  std::string type;                  // the format's name, "CONV_2D", or "custom:NAME"
  std::vector<int> inputs, outputs;  // tensor indices; an optional input that is not there: -1
  std::vector<int> intermediates;    // tensor indices
  const tflite_file::Operator* table = nullptr;

  // "operator 3 (CONV_2D)"
  std::string Place() const;
};

// Refers to the bytes that it was parsed from.
struct TfliteModel {
  std::string name;
  std::vector<TfliteTensor> tensors;
  std::vector<Operator> operators;
  std::vector<int> inputs, outputs;  // tensor indices
  // What CALL_ONCE puts into variables before the first inference, by VariableName.
  std::map<std::string, TfliteTensor> first;
};

// What a VAR_HANDLE names: "container/name".
Result<std::string> VariableName(const Operator& op);

// Whether |bytes| say that they are a .tflite file.
bool LooksLikeTflite(std::span<const uint8_t> bytes);

// Reads the tables of a .tflite file. |bytes| start at an address that is a multiple of 16.
//   errors  kInvalidArgument  not a model of version 3; tables, tensors, buffers or codes that are
//                             not there; shapes and data that disagree
//           kOutOfRange       more operators, tensors or elements than the compiler takes
//           kUnsupported      sparse tensors, data outside of the tables, a CALL_ONCE that does
//                             more than put constants into variables (each named)
Result<TfliteModel> Parse(std::span<const uint8_t> bytes);

}  // namespace tessera::tflite_model

#endif  // TESSERA_COMPILER_IMPORT_TFLITE_MODEL_H_
