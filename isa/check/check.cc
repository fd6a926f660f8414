// SPDX-License-Identifier: Apache-2.0
#include "isa/check/check.h"

#include <algorithm>
#include <limits>

#include "isa/check/follow.h"

namespace tessera::isa {

std::string_view Text(Finding finding) {
  switch (finding) {
    case Finding::kDecode:
      return "decode";
    case Finding::kFinish:
      return "finish";
    case Finding::kBounds:
      return "bounds";
    case Finding::kDeadlock:
      return "deadlock";
    case Finding::kRace:
      return "race";
    case Finding::kUnwritten:
      return "unwritten";
    case Finding::kLeftover:
      return "leftover";
    case Finding::kWork:
      return "work";
  }
  return "?";
}

bool CheckReport::ok() const {
  for (const Diagnostic& d : diagnostics) {
    if (!d.warning) return false;
  }
  return true;
}

std::string CheckReport::ToString() const {
  std::string text;
  for (const Diagnostic& d : diagnostics)
    text += fmt::format("{}{}\n", d.warning ? "warning: " : "", d.text);
  return text;
}

CheckReport CheckProgram(const ProgramImage& image, const Config& config,
                         const CheckOptions& options) {
  CheckReport report;
  const auto add = [&](Finding finding, std::vector<uint32_t> insns, const std::string& text) {
    if (report.diagnostics.size() >= options.max_diagnostics) return;
    report.diagnostics.push_back(
        {finding, false, std::move(insns), fmt::format("{}: {}", Text(finding), text), {}});
  };
  const Result<Fetcher> fetcher = Fetcher::Make(image.profile, config);
  if (!fetcher) {
    add(Finding::kDecode, {}, fetcher.error().message);
    return report;
  }

  const int64_t bytes = fetcher->insn_bytes();
  const auto read = [&](uint32_t number, std::span<uint8_t> to) {
    std::ranges::copy(std::span(image.code).subspan(number * to.size(), to.size()), to.begin());
    return true;
  };
  const InsnStream program(*fetcher, config, static_cast<uint32_t>(image.insn_count()), read,
                           [&](uint32_t number) { return image.SourceOf(number); });
  if (program.size() == image.insn_count() && program.size() != 0 &&
      program[program.size() - 1].finish) {
    Follower(image, config, options, *fetcher, program, report).Run();
    return report;
  }
  int64_t finish = -1;
  for (int64_t n = 0; n < image.insn_count(); ++n) {
    Fetched fetched;
    if (Stop stop = fetcher->Fetch(std::span(image.code).subspan(n * bytes, bytes), &fetched)) {
      add(Finding::kDecode, {static_cast<uint32_t>(n)},
          fmt::format("instruction {}: {}: {}", n, Text(stop.error), stop.detail));
    }
    if (fetched.finish && finish < 0) finish = n;
  }
  if (finish < 0) {
    add(Finding::kFinish, {}, "the program has no FINISH; append one");
  } else if (finish != image.insn_count() - 1) {
    add(Finding::kFinish, {static_cast<uint32_t>(finish)},
        fmt::format("instruction {} is FINISH, the {} after it never run; put it last", finish,
                    image.insn_count() - 1 - finish));
  }
  return report;
}

Status RequireChecked(const ProgramImage& image, const Config& config) {
  // A program that the caller made may be as long as its network.
  const CheckOptions options{.max_steps = std::numeric_limits<uint64_t>::max()};
  const CheckReport report = CheckProgram(image, config, options);
  for (const Diagnostic& d : report.diagnostics) {
    if (!d.warning) return Fail(Code::kInvalidArgument, "{}", d.text);
  }
  return {};
}

}  // namespace tessera::isa
