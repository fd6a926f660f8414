// SPDX-License-Identifier: Apache-2.0
#include "runtime/board/fabric.h"

#include <unistd.h>

#include <filesystem>

#include "base/process.h"
#include "runtime/board/board.h"

namespace tessera {
namespace {

constexpr std::string_view kManager = "/sys/class/fpga_manager/fpga0";

}  // namespace

std::string RootedScript(const std::string& root, const std::string& script) {
  return "R=" + ShellWord(root) + "\n" + script;
}

std::string ProgramScript(const std::string& stem) {
  return fmt::format(
      "m=$R{1}\n"
      "die() {{ echo \"$*\" >&2; exit 3; }}\n"
      "echo 0 > \"$m/flags\" || die \"the FPGA manager takes no flags\"\n"
      "echo {0}.bin > \"$m/firmware\" || die \"the FPGA manager refuses {0}.bin; dmesg says why\"\n"
      "read -r state < \"$m/state\"\n"
      "[ \"$state\" = operating ] || die \"after {0}.bin the FPGA manager says '$state', not "
      "operating\"\n",
      stem, kManager);
}

Status ProgramFabric(const std::string& root, const std::string& stem, std::chrono::seconds limit) {
  TESSERA_ASSIGN(const ProcessEnd end,
                 RunProcess({"sh", "-c", RootedScript(root, ProgramScript(stem))}, {}, limit));
  if (end.timed_out)
    return Fail(Code::kUnavailable, "the FPGA manager does not end with {}.bin within {} seconds",
                stem, limit.count());
  if (end.code == 0) return {};
  const std::string said = LastLine(end.errors);
  return Fail(Code::kUnavailable, "{}",
              said.empty() ? fmt::format("its script ended with {}", end.code) : said);
}

Status CanProgramFabric(const std::string& root, const std::string& stem) {
  if (!IsPlainName(stem))
    return Fail(Code::kInvalidArgument, "firmware={}: give a plain name of /lib/firmware", stem);
  const std::string manager = root + std::string(kManager);
  const std::string file = fmt::format("{}/lib/firmware/{}.bin", root, stem);
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    return Fail(Code::kNotFound,
                "{}: does not exist; `tessera flash` puts it there, as \"firmware\" of the board's "
                "description",
                file);
  if (!std::filesystem::exists(manager, error))
    return Fail(Code::kNotFound, "{}: this kernel has no FPGA manager, or this is no board",
                manager);
  for (const char* part : {"/flags", "/firmware"}) {
    if (access((manager + part).c_str(), W_OK) != 0)
      return Fail(Code::kUnavailable, "{}{}: no permission to write: run as root", manager, part);
  }
  return {};
}

}  // namespace tessera
