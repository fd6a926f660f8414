// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm.h"

#include <filesystem>
#include <ranges>

#include "base/file.h"

namespace tessera::tools {
namespace {

constexpr const char* kTask = "--slurm-task";

// The program and the arguments of this process.
Result<std::vector<std::string>> OwnCommand() {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile("/proc/self/cmdline"));
  std::vector<std::string> command;
  for (const auto word : std::views::split(bytes, uint8_t{0}))
    command.emplace_back(word.begin(), word.end());
  command.pop_back();  // each word ends with a zero
  std::error_code error;
  command[0] = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) return Fail(Code::kUnavailable, "--slurm: /proc/self/exe: {}", error.message());
  return command;
}

}  // namespace

void AddSlurmOptions(CLI::App& verb, SlurmWords& words) {
  verb.add_flag("--slurm", words.on, "run the work as tasks of a Slurm cluster (docs/cluster.md)");
  verb.add_option("--slurm-folder", words.folder,
                  "a folder that all nodes see, for requests and answers")
      ->capture_default_str();
  verb.add_option("--slurm-options", words.options,
                  "more options of sbatch: \"--partition=long --mem=4G\"");
  verb.add_option(kTask, words.task)->group("");
}

Result<cluster::SlurmPool> OpenSlurm(const SlurmWords& words, int64_t at_once,
                                     std::chrono::seconds limit) {
  TESSERA_ASSIGN(std::vector<std::string> command, OwnCommand());
  command.emplace_back(kTask);
  cluster::SlurmOptions options{
      .command = std::move(command), .folder = words.folder, .limit = limit, .at_once = at_once};
  for (const auto word : std::views::split(words.options, ' ')) {
    if (!word.empty()) options.sbatch.emplace_back(word.begin(), word.end());
  }
  return cluster::SlurmPool::Open(std::move(options));
}

}  // namespace tessera::tools
