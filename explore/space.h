// SPDX-License-Identifier: Apache-2.0
//
// A space of machines: a configuration and values for some of its keys. What a legal machine is
// decides isa::ValidateConfig; the space counts by cause what is not. Depends on: isa. Used by:
// explore, tools.
#ifndef TESSERA_EXPLORE_SPACE_H_
#define TESSERA_EXPLORE_SPACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "isa/config_keys.h"

namespace tessera::explore {

// A key of configuration files (isa/config_keys.h) and the values that it takes, in rising order,
// in the units of the file.
struct SweptKey {
  isa::ConfigKey key;
  std::vector<int64_t> values;
};

// Machines that cannot be, for one reason.
struct IllegalMachines {
  int64_t count = 0;
  std::string example;  // the message of ValidateConfig about the first one
  std::string nearest;  // "block 8": what makes the first one legal, one key alone; "": nothing
};

// Reads words of --sweep, "block=4,8,16" or "inp_kib=16..64" (powers of two from 16 to 64), several
// in a word with commas between them.
//   errors  kInvalidArgument  no key, an unknown or repeated key, no or a repeated value, a value
//                             that is no whole number, a range that holds no power of two
Result<std::vector<SweptKey>> ParseSweep(const std::vector<std::string>& words);

// What is swept without --sweep: array, memories, records, bus and tokens.
std::vector<SweptKey> WholeSweep();

// "block=4,8,16 bus_bits=64,128".
std::string SweepText(const std::vector<SweptKey>& keys);

class MachineSpace {
 public:
  static constexpr int64_t kMost = 4'000'000;  // machines
  // The machines of |base| with the values of |keys|. OUT keeps as many tiles as ACC where acc_kib
  // is swept and out_kib is not, as in a file.
  //   errors  kOutOfRange  more than kMost machines; none of them is legal: names the causes
  static Result<MachineSpace> Make(const isa::Config& base, std::vector<SweptKey> keys);

  const isa::Config& base() const { return base_; }
  const std::vector<SweptKey>& keys() const { return keys_; }
  int64_t CountAll() const { return all_; }
  // Machines are numbered from 0 to CountAll() - 1. These are legal, in rising order.
  const std::vector<int64_t>& legal() const { return legal_; }
  const std::vector<IllegalMachines>& illegal() const { return illegal_; }
  isa::Config ConfigOf(int64_t machine) const;
  // The place of each key's value among its values, and back.
  std::vector<size_t> PlacesOf(int64_t machine) const;
  int64_t MachineAt(const std::vector<size_t>& places) const;

 private:
  MachineSpace() = default;
  isa::Config base_;
  std::vector<SweptKey> keys_;
  int64_t all_ = 1;
  std::vector<int64_t> legal_;
  std::vector<IllegalMachines> illegal_;
};

// |config| with |value| for |key|.
isa::Config WithKey(isa::Config config, const isa::ConfigKey& key, int64_t value);

// A name made of all figures of |config|: "n1b16u32w256i32a128o32p64x64" (batch, block, KiB of UOP,
// WGT, INP, ACC and OUT, records of PRM, bits of the bus), with q and t for queues and tokens of
// another depth than default's.
std::string NameOf(const isa::Config& config);

}  // namespace tessera::explore

#endif  // TESSERA_EXPLORE_SPACE_H_
