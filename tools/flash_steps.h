// SPDX-License-Identifier: Apache-2.0
//
// Putting a package onto a board, step by step, with what is done when a step fails. Depends on:
// flash_host.h, flash_package.h, flash_scripts.h. Used by: flash.
#ifndef TESSERA_TOOLS_FLASH_STEPS_H_
#define TESSERA_TOOLS_FLASH_STEPS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/error.h"
#include "tools/flash_host.h"
#include "tools/flash_package.h"

namespace tessera::tools {

// What `cksum` of POSIX prints for |bytes|: "CRC LENGTH".
std::string PosixChecksum(std::span<const uint8_t> bytes);

// What a board's Linux says before anything is touched.
struct FlashSight {
  std::string manager;    // the FPGA manager's name
  std::string before;     // the stem of what we flashed in this boot; "": nothing that is known
  bool configfs = false;  // overlays can be applied
};

class BoardFlasher {
 public:
  // |say| is told each step: "program tessera-pynq-z1.bin".
  using Say = std::function<void(int step, int steps, const std::string& what)>;
  BoardFlasher(const FlashHost& host, const FlashPackage& package, Say say)
      : host_(host), package_(package), say_(std::move(say)) {}

  // Looks and touches nothing.
  //   errors  kInvalidArgument  the board cannot be flashed, and why; another family of boards
  //           kUnavailable      as FlashHost::Run
  Result<FlashSight> Look();

  // All of it. After an error the message says what state the board is in: unchanged, restored, or
  // unknown. Code: of the step that failed.
  Status Flash();

 private:
  Result<std::string> Step(const std::string& what, const std::string& script,
                           std::span<const uint8_t> input = {});
  Status Upload(const std::string& ending, std::span<const uint8_t> bytes);
  Status CheckIdentity();
  Status Change();
  std::string Restored(const FlashSight& sight, const Error& why);

  const FlashHost& host_;
  const FlashPackage& package_;
  Say say_;
  int step_ = 0;
  bool looking_only_ = true;
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_FLASH_STEPS_H_
