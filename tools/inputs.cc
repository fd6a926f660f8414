// SPDX-License-Identifier: Apache-2.0
#include "tools/inputs.h"

#include <algorithm>

#include "base/check.h"
#include "base/half.h"
#include "runtime/tensor/npy.h"
#include "tools/verb.h"

namespace tessera::tools {

void AddInputOptions(CLI::App& verb, InputOptions& options) {
  verb.add_option("--input", options.input,
                  "items to run: .npy [N, ...] in the model's input type and layout, or IDX images "
                  "(also .gz)")
      ->required();
  verb.add_option("--labels", options.labels,
                  "IDX or .npy file with one byte an item: the right class");
  verb.add_option("--first", options.first, "only the first N items")->check(CountFromOne());
}

void AddOneInputOption(CLI::App& verb, std::string& input) {
  verb.add_option("--input", input,
                  "the first item of this .npy or IDX file (default: zeros; cycles are the same)");
}

Result<Inputs> LoadInputs(const InputOptions& options) {
  Inputs inputs;
  TESSERA_ASSIGN(inputs.items, ReadTensorFile(options.input));
  if (inputs.items.shape.empty() || inputs.items.shape[0] == 0) {
    return Fail(Code::kInvalidArgument, "{}: shape {} holds no items", options.input,
                ShapeText(inputs.items.shape));
  }
  const int64_t all = inputs.count();
  if (options.first > all) {
    return Fail(Code::kOutOfRange, "{}: --first {} but the file holds {} items", options.input,
                options.first, all);
  }
  if (!options.labels.empty()) {
    TESSERA_ASSIGN(const HostTensor labels, ReadTensorFile(options.labels));
    if (SizeOf(labels.dtype) != 1 || labels.count() != all) {
      return Fail(Code::kInvalidArgument,
                  "{}: holds {} of shape {}; one byte for each of the {} items is needed",
                  options.labels, Text(labels.dtype), ShapeText(labels.shape), all);
    }
    inputs.labels = labels.bytes;
  }
  if (options.first > 0) {
    inputs.items = inputs.items.Slice(0, options.first);
    if (!inputs.labels.empty()) inputs.labels.resize(static_cast<size_t>(options.first));
  }
  return inputs;
}

int64_t ArgMax(const HostTensor& values) {
  const auto greatest = [](auto span) { return std::ranges::max_element(span) - span.begin(); };
  switch (values.dtype) {
    case DType::kInt8:
      return greatest(values.as<int8_t>());
    case DType::kBool:
    case DType::kUint8:
      return greatest(values.as<uint8_t>());
    case DType::kInt16:
      return greatest(values.as<int16_t>());
    case DType::kInt32:
      return greatest(values.as<int32_t>());
    case DType::kInt64:
      return greatest(values.as<int64_t>());
    case DType::kFloat32:
      return greatest(values.as<float>());
    case DType::kFloat16: {
      std::vector<float> wide;
      for (const uint16_t half : values.as<uint16_t>()) wide.push_back(HalfToFloat(half));
      return greatest(std::span<const float>(wide));
    }
  }
  TESSERA_CHECK(false);
}

}  // namespace tessera::tools
