// SPDX-License-Identifier: Apache-2.0
//
// What `tessera quantize` found, as text and as JSON. Depends on: output.h. Used by: quantize.cc.
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
  // dB of its result (Fidelity::Snr); infinite: exact. Nothing: it was not to be seen.
  std::optional<double> snr, channel_snr;
  double operand_snr = 0;  // the worst of its operands', by channel
  float scale = 0;         // of its result, where it has integers
  int32_t zero = 0;
  std::vector<std::string> readers;  // layers on integers that read the result
};

struct QuantizeReport {
  std::string model, output, method, activations;
  int64_t items = 0;
  int norms = 0, biases = 0;                // folded
  int pairs = 0;                            // of convolutions that could be equalised
  bool equalized = false;                   // and were
  double plain_snr = 0, equalized_snr = 0;  // of the outputs; the latter with |pairs| > 0
  std::vector<QuantizeRow> rows;
  bool labelled = false;
  int64_t float_hits = 0, int8_hits = 0;
  uint64_t float_bytes = 0, int8_bytes = 0;  // of the files

  double OutputSnr() const { return equalized ? equalized_snr : plain_snr; }
  // Where the outputs are worse than kBadOutput: layers whose result is, by channel, worse than
  // kBadSnr and at least kBadDrop worse than what they read; and those that read it, without which
  // it would have integers all the same.
  std::vector<std::string> Proposed() const;
};
inline constexpr double kBadOutput = 20, kBadSnr = 15, kBadDrop = 3;  // dB

std::string ReportText(const QuantizeReport& report);
Json ReportJson(const QuantizeReport& report);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_QUANTIZE_REPORT_H_
