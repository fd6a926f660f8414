// SPDX-License-Identifier: Apache-2.0
#include "tools/coverage_text.h"

#include <algorithm>
#include <utility>

#include "tools/output.h"

namespace tessera::tools {

using artifact::Coverage;
using artifact::DeviceKind;

namespace {

constexpr std::pair<DeviceKind, const char*> kOthers[] = {
    {DeviceKind::kHost, "host"}, {DeviceKind::kOpenCl, "opencl"}, {DeviceKind::kCuda, "cuda"}};

const char* NameOf(DeviceKind device) {
  return std::ranges::find(kOthers, device, &std::pair<DeviceKind, const char*>::first)->second;
}

}  // namespace

std::string CoverageText(const Coverage& coverage) {
  std::string text =
      fmt::format("accelerator: {} of {} operators", coverage.accelerated, coverage.nodes);
  if (coverage.macs > 0) {
    text += fmt::format(
        ", {:.1f} % of {} multiply-accumulates",
        100.0 * static_cast<double>(coverage.accelerated_macs) / static_cast<double>(coverage.macs),
        Grouped(coverage.macs));
  }
  for (const auto& [device, name] : kOthers) {
    bool first = true;
    for (const Coverage::Left& left : coverage.left) {
      if (left.device != device) continue;
      text += fmt::format("{}{} x {}{}", first ? fmt::format("; {}: ", name) : ", ", left.nodes,
                          left.op, left.why.empty() ? "" : " (" + left.why + ")");
      first = false;
    }
  }
  return text;
}

std::string CoverageLines(const artifact::Artifact& net) {
  if (net.PlanNamed("device") == nullptr) return "";
  return (net.programs.empty() ? "No layer runs on the accelerator: the host runs all of them.\n"
                               : "") +
         CoverageText(net.coverage) + "\n";
}

Status CheckStrict(const Coverage& coverage, const std::string& model) {
  if (coverage.accelerated >= coverage.nodes) return {};
  return Fail(Code::kUnsupported, "{}: --strict, but the host has to run some of it: {}", model,
              CoverageText(coverage));
}

Json CoverageJson(const Coverage& coverage) {
  Json host = Json::array(), gpu = Json::array();
  for (const Coverage::Left& left : coverage.left) {
    if (left.device == DeviceKind::kHost) {
      host.push_back({{"operator", left.op}, {"count", left.nodes}, {"why", left.why}});
    } else {
      gpu.push_back(
          {{"operator", left.op}, {"count", left.nodes}, {"device", NameOf(left.device)}});
    }
  }
  return {{"operators", coverage.nodes}, {"accelerated", coverage.accelerated},
          {"macs", coverage.macs},       {"accelerated_macs", coverage.accelerated_macs},
          {"host", std::move(host)},     {"gpu", std::move(gpu)}};
}

}  // namespace tessera::tools
