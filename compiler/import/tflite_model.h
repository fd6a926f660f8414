// SPDX-License-Identifier: Apache-2.0
//
// A parsed .tflite file. Its tables are verified, every index of a tensor, buffer or operator code
// is valid, and data have the length that their shape needs. The meaning of operators is not known
// here. Untrusted input. Used by compiler/import/tflite.cc and its parts.
#ifndef TESSERA_COMPILER_IMPORT_TFLITE_MODEL_H_
#define TESSERA_COMPILER_IMPORT_TFLITE_MODEL_H_

#include <cstddef>
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

inline constexpr size_t kMaxRank = 8;  // of a tensor

struct TfliteTensor {
  int index = 0;     // in the file
  std::string name;  // one line, at most 200 characters
  TensorType type{};
  std::vector<int64_t> shape;     // in the file's order; extents of 0 or more
  std::vector<bool> open;         // by axis: the extent is fixed only when the model runs
  std::span<const uint8_t> data;  // empty: not a constant
  const tflite_file::Quantization* quantization = nullptr;
  bool variable = false;  // keeps its value between inferences; initially 0

  bool constant() const { return !data.empty(); }
  // "tensor 12 'conv1/Relu'"
  std::string Place() const;
};

struct Operator {
  int index = 0;  // in the file
  BuiltinOperator code{};
  std::string type;                  // the format's name, "CONV_2D", or "custom:NAME"
  std::vector<int> inputs, outputs;  // tensor indices; -1 for an omitted optional input
  std::vector<int> intermediates;    // tensor indices
  const tflite_file::Operator* table = nullptr;

  // "operator 3 (CONV_2D)"
  std::string Place() const;
};

// Refers to the bytes that Parse read.
struct TfliteModel {
  std::string name;
  std::vector<TfliteTensor> tensors;
  std::vector<Operator> operators;
  std::vector<int> inputs, outputs;  // tensor indices
  // First values of variables, which CALL_ONCE assigns before the first inference, by VariableName.
  std::map<std::string, TfliteTensor> first;
};

// The variable that a VAR_HANDLE names: "container/name".
Result<std::string> VariableName(const Operator& op);

// Whether |bytes| carry the identifier of a .tflite file.
bool LooksLikeTflite(std::span<const uint8_t> bytes);

// Reads the tables of a .tflite file. The address of |bytes| is a multiple of 16.
//   errors  kInvalidArgument  not a model of version 3; missing tables, tensors, buffers or codes;
//                             shapes and data that disagree
//           kOutOfRange       more operators, tensors or elements than the compiler takes
//           kUnsupported      sparse tensors, data outside of the tables, a CALL_ONCE that does
//                             more than put constants into variables (each named)
Result<TfliteModel> Parse(std::span<const uint8_t> bytes);

}  // namespace tessera::tflite_model

#endif  // TESSERA_COMPILER_IMPORT_TFLITE_MODEL_H_
