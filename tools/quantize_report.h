// SPDX-License-Identifier: Apache-2.0
//
// The results of `tessera quantize` as text and as JSON. Depends on: output.h. Used by:
// quantize.cc.
#ifndef TESSERA_TOOLS_QUANTIZE_REPORT_H_
#define TESSERA_TOOLS_QUANTIZE_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/output.h"

namespace tessera::tools {

struct QuantizeRow {
  std::string layer, op;
  bool integers = false;
  // dB of its result (Fidelity::Snr); infinite: exact. Nothing if the result could not be read.
  std::optional<double> snr, channel_snr;
  double operand_snr = 0;  // the worst of its operands, by channel
  float scale = 0;         // of its result, if that has integers
  int32_t zero = 0;
  std::vector<std::string> readers;  // layers on integers that read the result
};

struct QuantizeReport {
  std::string model, output, method, activations;
  int64_t items = 0;
  int norms = 0, biases = 0;                // how many were folded
  int pairs = 0;                            // pairs of convolutions that could be equalised
  bool equalized = false;                   // whether they were
  double plain_snr = 0, equalized_snr = 0;  // of the outputs; the latter only if |pairs| > 0
  std::vector<QuantizeRow> rows;
  bool labelled = false;
  int64_t float_hits = 0, int8_hits = 0;
  uint64_t float_bytes = 0, int8_bytes = 0;  // of the files

  double OutputSnr() const { return equalized ? equalized_snr : plain_snr; }
  // The layers to keep in float if the outputs are worse than kBadOutput. A layer is one of them if
  // its result is, by channel, worse than kBadSnr and at least kBadDrop worse than its operands; so
  // are the layers that read it, because otherwise it would have integers all the same.
  std::vector<std::string> Proposed() const;
};
inline constexpr double kBadOutput = 20, kBadSnr = 15, kBadDrop = 3;  // dB

std::string ReportText(const QuantizeReport& report);
Json ReportJson(const QuantizeReport& report);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_QUANTIZE_REPORT_H_
