// SPDX-License-Identifier: Apache-2.0
#include "tools/coverage_text.h"

#include "tools/output.h"

namespace tessera::tools {

using artifact::Coverage;

std::string CoverageText(const Coverage& coverage) {
  std::string text =
      fmt::format("accelerator: {} of {} operators", coverage.accelerated, coverage.nodes);
  if (coverage.macs > 0) {
    text += fmt::format(
        ", {:.1f} % of {} multiply-accumulates",
        100.0 * static_cast<double>(coverage.accelerated_macs) / static_cast<double>(coverage.macs),
        Grouped(coverage.macs));
  }
  for (const Coverage::LeftToHost& left : coverage.left) {
    text += fmt::format("{}{} x {}{}", &left == &coverage.left.front() ? "; host: " : ", ",
                        left.nodes, left.op, left.why.empty() ? "" : " (" + left.why + ")");
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
  Json host = Json::array();
  for (const Coverage::LeftToHost& left : coverage.left)
    host.push_back({{"operator", left.op}, {"count", left.nodes}, {"why", left.why}});
  return {{"operators", coverage.nodes},
          {"accelerated", coverage.accelerated},
          {"macs", coverage.macs},
          {"accelerated_macs", coverage.accelerated_macs},
          {"host", std::move(host)}};
}

}  // namespace tessera::tools
