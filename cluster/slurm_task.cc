// SPDX-License-Identifier: Apache-2.0
#include "cluster/slurm_task.h"

#include <fmt/format.h>

#include <string_view>

#include "base/file.h"
#include "base/number.h"

namespace tessera::cluster {
namespace {

constexpr std::string_view kFirst = "tessera task ";

}  // namespace

std::string RequestFile(const std::string& task) { return task + ".request"; }
std::string AnswerFile(const std::string& task) { return task + ".answer"; }
std::string LogFile(const std::string& task) { return task + ".log"; }

Status AnswerTask(const std::string& task, std::chrono::seconds limit, const RequestWork& work) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(RequestFile(task)));
  const std::string request(bytes.begin(), bytes.end());
  const WorkEnd end = RunIsolated([&] { return work(request); }, limit);
  return WriteFile(AnswerFile(task), PrintEnd(end));
}

// "tessera task LATE SIGNAL UNMADE CRASH_BYTES\n", the words of the crash, the result.
std::string PrintEnd(const WorkEnd& end) {
  return fmt::format("{}{} {} {} {}\n{}{}", kFirst, end.late ? 1 : 0, end.signal,
                     end.unmade ? 1 : 0, end.crash.size(), end.crash, end.bytes);
}

Result<WorkEnd> ParseEnd(const std::string& text) {
  const auto wrong = [] { return Fail(Code::kDataLoss, "it is no answer of a task"); };
  const size_t line = text.find('\n');
  if (!text.starts_with(kFirst) || line == std::string::npos) return wrong();
  int64_t numbers[4];
  std::string_view rest = std::string_view(text).substr(kFirst.size(), line - kFirst.size());
  for (int64_t& number : numbers) {
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    number = TakeNumber<int64_t>(rest).value_or(-1);
    if (number < 0) return wrong();
  }
  const auto [late, signal, unmade, crash] = numbers;
  const bool in_range = late <= 1 && unmade <= 1 && signal <= 64 && crash <= std::ssize(text);
  if (!rest.empty() || !in_range) return wrong();
  WorkEnd made;
  made.late = late == 1;
  made.signal = static_cast<int>(signal);
  made.unmade = unmade == 1;
  made.crash = text.substr(line + 1, static_cast<size_t>(crash));
  if (std::ssize(made.crash) != crash) return wrong();
  made.bytes = text.substr(line + 1 + made.crash.size());
  return made;
}

}  // namespace tessera::cluster
