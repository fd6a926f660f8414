// SPDX-License-Identifier: Apache-2.0
//
// RunDump: a run that failed, as a file: the program with what its segments held when the run
// began, the machine, the error. The run can be made again without the model. Depends on: isa,
// runtime/artifact/codec.h. Used by: verbs that run programs, `tessera debug`.
#ifndef TESSERA_SIM_DEBUG_DUMP_H_
#define TESSERA_SIM_DEBUG_DUMP_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "isa/image.h"

namespace tessera::sim {

struct RunDump {
  std::string tool;    // "tessera 0.1.0"
  std::string verb;    // "run"
  std::string model;   // the file that was run
  std::string device;  // "rtl:stall-seed=3"
  std::string error;   // the message
  uint64_t budget = 0;
  isa::Config config;
  std::vector<std::string> layers;  // by the numbers of the source map
  isa::ProgramImage image;
  bool operator==(const RunDump&) const = default;
};

// File format, little-endian: magic "TSRDMP01", version, the fields in the order above (the
// configuration as JSON, the image as its file), CRC-64 of everything before it. CheckImage holds.
std::vector<uint8_t> SerializeDump(const RunDump& dump);

// |bytes| are untrusted.
//   errors  kInvalidArgument  not a dump, of another version, its image not of its configuration,
//                             and those of the parts
//           kDataLoss         truncated, or the checksum differs
//           kOutOfRange       a count or size is past its limit
Result<RunDump> ParseDump(std::span<const uint8_t> bytes);

// Whether |bytes| begin like a dump.
bool LooksLikeDump(std::span<const uint8_t> bytes);

// Writes |dump| into |folder| as tessera-VERB-HASH.dump, complete or not at all; another file of
// that name stays. Gives its path.
//   errors  WriteFile's
Result<std::string> WriteDump(const std::string& folder, const RunDump& dump);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_DUMP_H_
