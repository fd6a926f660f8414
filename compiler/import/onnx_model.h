// SPDX-License-Identifier: Apache-2.0
//
// An ONNX file as plain structs. Only this file and onnx_write.h include the ONNX headers. The
// structs say nothing about the meaning of operators. The input is untrusted: every count and size
// is checked. Used by compiler/import/onnx.cc, compiler/calibrate.
#ifndef TESSERA_COMPILER_IMPORT_ONNX_MODEL_H_
#define TESSERA_COMPILER_IMPORT_ONNX_MODEL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/tensor/tensor.h"

namespace tessera::onnx_model {

struct Attribute {
  std::optional<int64_t> i;
  std::optional<float> f;
  std::optional<std::string> s;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<std::string> strings;
  std::optional<HostTensor> tensor;
};

struct OnnxNode {
  int index = 0;        // position in the file
  std::string op_type;  // "Conv"; with the domain unless it is ONNX's: "com.microsoft.Gelu"
  std::string name;
  std::vector<std::string> inputs, outputs;  // "" for an omitted optional input
  std::map<std::string, Attribute> attributes;

  // "node 4 (Conv 'stem')"
  std::string Place() const;
  // The attribute's value; |otherwise| or an empty list if it is absent or of another type.
  int64_t IntOr(const std::string& attribute, int64_t otherwise) const;
  std::vector<int64_t> Ints(const std::string& attribute) const;
};

// A graph input or output. A symbolic or missing extent is -1.
struct Value {
  std::string name;
  std::optional<DType> dtype;                 // nothing: a type that DType lacks
  std::optional<std::vector<int64_t>> shape;  // nothing: the file gives none
};

struct OnnxModel {
  std::string name;
  int64_t ir = 0;     // version of the format
  int64_t opset = 0;  // of the domain of ONNX itself
  std::vector<OnnxNode> nodes;
  std::map<std::string, HostTensor> initializers;
  std::vector<Value> inputs;  // without the initializers
  std::vector<Value> outputs;
};

// Parses the bytes of an .onnx file. External data are read from |folder|, the folder of the file;
// with "" they are refused.
//   errors  kInvalidArgument  not an ONNX model, or an empty one; a value without a name or with
//                             two makers
//           kOutOfRange       more nodes than the compiler takes
//           kDataLoss         an initializer's data do not match its shape
//           kUnsupported      external data where |folder| is "", sub-graphs, element types that
//                             DType lacks
Result<OnnxModel> Parse(std::span<const uint8_t> bytes, const std::string& folder = "");

}  // namespace tessera::onnx_model

#endif  // TESSERA_COMPILER_IMPORT_ONNX_MODEL_H_
