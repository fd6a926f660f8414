// SPDX-License-Identifier: Apache-2.0
//
// Hardware hand-off files (`.hwh`), which the vendor's tool writes beside a bitstream and PYNQ
// reads: the cells of a block design with their parameters, and their addresses for the processing
// system. Depends on: base. Used by: runtime/board (handoff.h), tools.
#ifndef TESSERA_RUNTIME_BITSTREAM_HWH_H_
#define TESSERA_RUNTIME_BITSTREAM_HWH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tessera {

struct HwhRange {               // an address range of a module that is a bus master
  std::string instance;         // the slave
  std::string slave;            // the interface of the slave; "": not given
  uint64_t base = 0, high = 0;  // both ends included, bytes
};

struct HwhPort {
  std::string name, signal;
  bool input = false;
};

struct HwhModule {
  std::string instance;   // "machine"
  std::string full_name;  // "/machine"
  std::string vlnv;       // "tessera:hw:tessera:1.0"
  std::string type;       // MODTYPE: "tessera", "processing_system7"
  std::vector<std::pair<std::string, std::string>> parameters;
  std::vector<HwhPort> ports;
  std::vector<HwhRange> ranges;

  // The value of parameter |name|, or "".
  std::string_view Parameter(std::string_view name) const;
};

struct HwhDesign {
  std::string name;    // of the block design
  std::string device;  // "7z020", "xczu3eg"
  std::string tool;    // "2022.1"
  std::vector<HwhModule> modules;

  // The first module of |type|, or null.
  const HwhModule* Find(std::string_view type) const;
};

// Reads the parts of |text| that PYNQ's reader and this project need; skips the rest.
//   errors  kInvalidArgument  not XML, not a hand-off file, a module without INSTANCE, FULLNAME,
//                             VLNV or MODTYPE, a memory range without its two ends or with a bad
//                             number
//           kOutOfRange       a range that ends before it begins
//           kDataLoss         a truncated text
Result<HwhDesign> ParseHwh(std::string_view text);
std::string HwhText(const HwhDesign& design);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_BITSTREAM_HWH_H_
