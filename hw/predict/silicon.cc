// SPDX-License-Identifier: Apache-2.0
#include "hw/predict/silicon.h"

#include "hw/predict/exact.h"

namespace tessera::hw {

Result<Silicon> PredictSilicon(const isa::Config& config, std::string_view family) {
  TESSERA_TRY(isa::ValidateConfig(config));
  if (family != "xc7" && family != "xcup") {
    return Fail(Code::kUnsupported,
                "no configuration was synthesised for family {}; there are xc7, xcup", family);
  }
  const auto lanes = static_cast<double>(config.lanes());
  return Silicon{.lut = 9412 + 1588 * lanes,
                 .ff = 9625 + 1108 * lanes,
                 .dsp = DspOf(config),
                 .bram18 = Bram18Of(config),
                 .ns = family == "xc7" ? 6.3 : 3.3};
}

Result<SiliconErrors> PredictionErrors(std::string_view family) {
  TESSERA_TRY(PredictSilicon(isa::Config(), family));
  return SiliconErrors{.lut = {0.1, 0.3}, .ff = {0.1, 0.3}, .ns = {0.08, 0.2}};
}

std::vector<std::string> OutsideOfTable(const isa::Config&) { return {}; }

}  // namespace tessera::hw
