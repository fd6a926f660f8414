// SPDX-License-Identifier: Apache-2.0
//
// Hardware hand-off files (`.hwh`), which the vendor's tool writes beside a bitstream and PYNQ
// reads: the cells of a block design with their parameters, and where the processing system sees
// them.
// Depends on: base. Used by: runtime/board (handoff.h), tools.
#ifndef TESSERA_RUNTIME_BITSTREAM_HWH_H_
#define TESSERA_RUNTIME_BITSTREAM_HWH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tessera {

struct HwhRange {               // of a module that is a bus master
  std::string instance;         // who answers
  std::string slave;            // on which interface; "": not said
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

// What PYNQ's reader needs and we use of |text|; the rest is passed over.
//   errors  kInvalidArgument  not XML, not a hand-off file, a module without INSTANCE, FULLNAME,
//                             VLNV or MODTYPE, a memory range without its two ends or with a bad
//                             number
//           kOutOfRange       a range that ends before it begins
//           kDataLoss         it is cut off
Result<HwhDesign> ParseHwh(std::string_view text);
std::string HwhText(const HwhDesign& design);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_BITSTREAM_HWH_H_
