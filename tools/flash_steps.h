// SPDX-License-Identifier: Apache-2.0
//
// Puts a package onto a board, step by step, and undoes the changes when a step fails. Depends on:
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

// The output of POSIX `cksum` for |bytes|: "CRC LENGTH".
std::string PosixChecksum(std::span<const uint8_t> bytes);

// What a board's Linux reports before any change.
struct FlashSight {
  std::string manager;    // the FPGA manager's name
  std::string before;     // the stem that we flashed in this boot; "": unknown
  bool configfs = false;  // it can apply overlays
};

class BoardFlasher {
 public:
  // |say| hears of each step: "program tessera-pynq-z1.bin".
  using Say = std::function<void(int step, int steps, const std::string& what)>;
  BoardFlasher(const FlashHost& host, const FlashPackage& package, Say say)
      : host_(host), package_(package), say_(std::move(say)) {}

  // Looks at the board and changes nothing.
  //   errors  kInvalidArgument  why the board cannot be flashed; another family of boards
  //           kUnavailable      as FlashHost::Run
  Result<FlashSight> Look();

  // Does all steps. An error's message says which state the board is in: unchanged, restored, or
  // unknown; its code is that of the failed step.
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
