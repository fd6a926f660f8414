// SPDX-License-Identifier: Apache-2.0
#include "tools/flash_host.h"

#include "base/process.h"
#include "runtime/board/fabric.h"

namespace tessera::tools {
namespace {

constexpr int kSshFailed = 255;  // ssh's own exit code; none of our scripts uses it

}  // namespace

FlashHost::FlashHost(FlashHostOptions options)
    : options_(std::move(options)), name_(options_.host.empty() ? "this machine" : options_.host) {}

Result<FlashHost> FlashHost::Make(FlashHostOptions options) {
  const std::string& host = options.host;
  if (host.starts_with("-") || host.find_first_of(" \t\n'\"\\") != std::string::npos)
    return Fail(Code::kInvalidArgument, "--host {}: give USER@ADDR", host);
  return FlashHost(std::move(options));
}

Result<std::string> FlashHost::Run(const std::string& script,
                                   std::span<const uint8_t> input) const {
  const std::string whole = RootedScript(options_.root, script);
  std::vector<std::string> argv;
  if (options_.host.empty()) {
    if (options_.sudo) argv = {"sudo", "-n"};
    argv.insert(argv.end(), {"sh", "-c", whole});
  } else {
    // ssh asks no questions, and gives up after ten seconds on a host that falls silent.
    argv = {"ssh",
            "-o",
            "BatchMode=yes",
            "-o",
            "ConnectTimeout=10",
            "-o",
            "ServerAliveInterval=5",
            "-o",
            "ServerAliveCountMax=2"};
    if (!options_.ssh_config.empty()) argv.insert(argv.end(), {"-F", options_.ssh_config});
    argv.insert(argv.end(),
                {"--", options_.host,
                 std::string(options_.sudo ? "sudo -n " : "") + "sh -c " + ShellWord(whole)});
  }
  TESSERA_ASSIGN(const ProcessEnd end, RunProcess(argv, input, options_.limit));
  if (end.timed_out)
    return Fail(Code::kUnavailable, "{} did not answer within {} seconds", name_,
                options_.limit.count());
  const std::string said = LastLine(end.errors);
  if (!options_.host.empty() && end.code == kSshFailed)
    return Fail(Code::kUnavailable, "{} cannot be reached: {}", name_,
                said.empty() ? "the connection ended" : said);
  if (end.code != 0)
    return Fail(Code::kInvalidArgument, "{}",
                said.empty() ? fmt::format("its command ended with {}", end.code) : said);
  return end.output;
}

}  // namespace tessera::tools
