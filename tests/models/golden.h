// SPDX-License-Identifier: Apache-2.0
//
// The results of TFLite's interpreter for a network (models/mlperf_tiny/goldens), and the inputs
// that it was given: a second derivation of models/mlperf_tiny/goldens.py. Tests only.
#ifndef TESSERA_TESTS_MODELS_GOLDEN_H_
#define TESSERA_TESTS_MODELS_GOLDEN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::test {

inline const std::vector<std::string> kNetworks = {"image_classification", "keyword_spotting",
                                                   "visual_wake_words", "anomaly_detection"};

struct Golden {
  struct Operator {
    std::string name;            // "conv_2d_3"
    std::vector<int64_t> shape;  // of the operator's result, in the file's order
  };
  struct Run {
    std::string input;  // "random 7", "ramp", ...
    uint64_t input_crc = 0;
    std::vector<uint64_t> crc;                // of each operator's result
    std::vector<std::vector<uint8_t>> bytes;  // of the last operators' results
  };
  std::string network, file;
  uint64_t file_crc = 0;
  std::string interpreter_version, kernels, rounding;
  std::vector<int64_t> input_shape;
  int32_t input_zero = 0;
  std::vector<Operator> operators;
  size_t first_with_bytes = 0;
  std::vector<Run> runs;

  // The bytes of operator |op|'s result in |run|, where the file has them.
  const std::vector<uint8_t>* BytesOf(const Run& run, size_t op) const;
};

// Reads the goldens of |network|; the working folder is the source root.
Result<Golden> ReadGolden(const std::string& network);

// The values of |golden|'s input named |input|, in the file's order; nothing for an unknown name.
std::optional<std::vector<uint8_t>> MakeInput(const Golden& golden, const std::string& input);

// The path of |file|: in $TESSERA_MODELS, otherwise in ../shared/models.
std::string ModelPath(const std::string& file);
// "2 models not found (see models/mlperf_tiny/README.md)", or "" when all are there.
std::string MissingModels();

}  // namespace tessera::test

#endif  // TESSERA_TESTS_MODELS_GOLDEN_H_
