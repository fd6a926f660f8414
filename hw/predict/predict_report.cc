// SPDX-License-Identifier: Apache-2.0
//
// predict_report                   hw/predicted.txt: how far predictions are off
// predict_report CONFIG [PART]     area and clock of a configuration, a name or a file, without
//     synthesis; whether it fits PART, a name of hw/parts.txt or a file of limits (xc7z020)
// Exit status: 0; 1 if the part is too small; 2 for bad use and for files that cannot be used.
#include <cstdio>
#include <string>
#include <vector>

#include "hw/predict/parts.h"
#include "hw/predict/silicon.h"

namespace tessera::hw {
namespace {

struct ResourceRow {
  const char* name;
  SiliconError SiliconErrors::*error;
};
constexpr ResourceRow kResources[] = {{"LUT", &SiliconErrors::lut},
                                      {"FF", &SiliconErrors::ff},
                                      {"DSP", &SiliconErrors::dsp},
                                      {"BRAM36", &SiliconErrors::bram18},
                                      {"ns", &SiliconErrors::ns}};

constexpr const char* kHead =
    "# How far area and clock without synthesis (hw/predict) are off, for configurations of\n"
    "# hw/silicon_table.txt that the fit has not seen: each is left out once.\n"
    "# build/bin/predict_report prints this file.\n"
    "#      family  resource  median %  worst %  configurations\n";

int BadUse(const std::string& message) {
  std::fprintf(stderr, "predict_report: %s\nusage: predict_report [CONFIG [PART]]\n",
               message.c_str());
  return 2;
}

int PrintErrors() {
  std::string text = kHead;
  for (const char* family : {"xc7", "xcup"}) {
    const auto errors = PredictionErrors(family);
    if (!errors) return BadUse(errors.error().message);
    for (const ResourceRow& row : kResources) {
      const SiliconError& error = (*errors).*row.error;
      text += fmt::format("error  {:<6}  {:<8}  {:>8.1f}  {:>7.1f}  {:>14}\n", family, row.name,
                          100 * error.median, 100 * error.worst, errors->configurations);
    }
  }
  std::fputs(text.c_str(), stdout);
  return 0;
}

int PrintPrediction(const std::string& name, const std::string& part_name) {
  const auto config = isa::LoadConfig(name);
  if (!config) return BadUse(config.error().message);
  const auto part = LoadPart(part_name);
  if (!part) return BadUse(part.error().message);
  const auto silicon = PredictSilicon(*config, part->family);
  if (!silicon) return BadUse(silicon.error().message);
  const SiliconErrors errors = PredictionErrors(part->family).value();
  std::string text = fmt::format("{} on {}, without synthesis:\n", config->name, part->name);
  const double used[] = {silicon->lut, silicon->ff, static_cast<double>(silicon->dsp),
                         static_cast<double>(silicon->bram18) / 2};
  const double has[] = {static_cast<double>(part->lut), static_cast<double>(part->ff),
                        static_cast<double>(part->dsp), static_cast<double>(part->bram18) / 2};
  for (int r = 0; r < 4; ++r) {
    const double worst = (errors.*kResources[r].error).worst;
    text += fmt::format("  {:<7}{:>9.{}f} of {:>8.{}f}{}\n", kResources[r].name, used[r],
                        r == 3 ? 1 : 0, has[r], r == 3 ? 1 : 0,
                        worst == 0 ? "  exact" : fmt::format("  +- {:.1f} %", 100 * worst));
  }
  text += fmt::format("  ns     {:>9.2f} ({:.0f} MHz)     +- {:.1f} %\n", silicon->ns,
                      1000 / silicon->ns, 100 * errors.ns.worst);
  for (const std::string& number : OutsideOfTable(*config)) {
    text +=
        "  outside of the synthesised configurations, so the errors do not hold: " + number + "\n";
  }
  const Status fits = Fits(*silicon, *part);
  if (!fits) text += "  " + fits.error().message + "\n";
  std::fputs(text.c_str(), stdout);
  return fits ? 0 : 1;
}

}  // namespace
}  // namespace tessera::hw

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.empty()) return tessera::hw::PrintErrors();
  if (args.size() > 2 || args[0].starts_with("-")) return tessera::hw::BadUse("bad arguments");
  return tessera::hw::PrintPrediction(args[0], args.size() == 2 ? args[1] : "xc7z020");
}
