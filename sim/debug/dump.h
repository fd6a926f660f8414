// SPDX-License-Identifier: Apache-2.0
//
// RunDump: a failed run as a file: the program with the contents of its segments when the run
// began, the machine, the error. It is enough to repeat the run without the model. Depends on: isa,
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
  std::vector<std::string> layers;  // indexed by the layer numbers of the source map
  isa::ProgramImage image;
  bool operator==(const RunDump&) const = default;
};

// File format, little-endian: magic "TSRDMP01", version, the fields in the order above (the
// configuration as JSON, the image in its file format), CRC-64 of everything before it. CheckImage
// accepts the image.
std::vector<uint8_t> SerializeDump(const RunDump& dump);

// |bytes| are untrusted.
//   errors  kInvalidArgument  not a dump, another version, an image that does not match its
//                             configuration; the errors of the parts
//           kDataLoss         truncated, or the checksum differs
//           kOutOfRange       a count or size is past its limit
Result<RunDump> ParseDump(std::span<const uint8_t> bytes);

// Whether |bytes| begin with the magic of a dump.
bool LooksLikeDump(std::span<const uint8_t> bytes);

// Writes |dump| into |folder| as tessera-VERB-HASH.dump, complete or not at all. If another file
// has that name, the name becomes tessera-VERB-HASH-N.dump. Returns the path.
//   errors  those of WriteFile; kUnavailable: all names to N = 99 are taken
Result<std::string> WriteDump(const std::string& folder, const RunDump& dump);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_DUMP_H_
