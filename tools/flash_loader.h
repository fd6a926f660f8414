// SPDX-License-Identifier: Apache-2.0
//
// Flashes a board without a processor, which is plugged into this computer: by openFPGALoader, and
// a look at the identity registers through its serial port. Depends on: flash_package.h, drivers.
// Used by: flash.
#ifndef TESSERA_TOOLS_FLASH_LOADER_H_
#define TESSERA_TOOLS_FLASH_LOADER_H_

#include <chrono>
#include <string>

#include "base/error.h"
#include "tools/flash_package.h"

namespace tessera::tools {

struct LoaderOptions {
  std::chrono::seconds limit{60};
  std::string port;    // the serial port; "": that of driver serial
  bool check = false;  // verified files are enough
};

// Prints what it does, to standard output.
//   errors  kNotFound     openFPGALoader is not installed; the message says what would be run
//           kUnavailable  it failed, in its own words, or took too long
//           others        the board does not answer, or not as this configuration
Status FlashByLoader(const FlashPackage& package, const LoaderOptions& options);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_FLASH_LOADER_H_
