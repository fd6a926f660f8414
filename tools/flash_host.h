// SPDX-License-Identifier: Apache-2.0
//
// The computer with a board's Linux: this one, or one behind ssh. Each step runs there as one POSIX
// shell script in one remote command, without questions and with a time limit. Depends on:
// base/process.h, runtime/board (scripts). Used by: flash_steps.h.
#ifndef TESSERA_TOOLS_FLASH_HOST_H_
#define TESSERA_TOOLS_FLASH_HOST_H_

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tessera::tools {

struct FlashHostOptions {
  std::string host;                // USER@ADDR or ADDR; "": this machine
  std::string ssh_config;          // for ssh -F; "": the user's own
  std::string root;                // folder that stands for / (a simulated board); "": /
  bool sudo = false;               // run each step with sudo -n
  std::chrono::seconds limit{60};  // for one step
};

class FlashHost {
 public:
  //   errors  kInvalidArgument  a host that ssh would take for an option
  static Result<FlashHost> Make(FlashHostOptions options);

  // Runs |script| with |input| as its standard input and $R as the root folder; returns its output.
  // A script that fails says why in one line on standard error.
  //   errors  kInvalidArgument  the script failed
  //           kUnavailable      the host is gone: ssh ended, or the time limit passed
  Result<std::string> Run(const std::string& script, std::span<const uint8_t> input = {}) const;

  const std::string& name() const { return name_; }  // "root@10.0.0.5" or "this machine"

 private:
  explicit FlashHost(FlashHostOptions options);
  FlashHostOptions options_;
  std::string name_;
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_FLASH_HOST_H_
