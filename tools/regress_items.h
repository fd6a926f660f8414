// SPDX-License-Identifier: Apache-2.0
//
// The items that `tessera regress` runs, and the result of one. Depends on: sim/rig. Used by:
// regress.
#ifndef TESSERA_TOOLS_REGRESS_ITEMS_H_
#define TESSERA_TOOLS_REGRESS_ITEMS_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/workers.h"
#include "isa/config.h"
#include "isa/image.h"
#include "runtime/device/registry.h"
#include "sim/rig/coverage.h"
#include "sim/rig/lockstep.h"
#include "tools/model_layers.h"
#include "tools/regress_time.h"

namespace tessera::tools {

enum class RegressSuite : uint8_t { kCorpus, kDirected, kRandom, kNetworks, kLayers };
inline constexpr int kRegressSuites = 5;
std::string_view Text(RegressSuite suite);  // "corpus"

// One piece of work. Its name is enough to run it again.
struct RegressItem {
  RegressSuite suite = RegressSuite::kRandom;
  std::string name;   // "random/tiny/tessera/17", "corpus/add.tsr.s"
  size_t config = 0;  // of RegressSetup::configs
  isa::Profile profile = isa::Profile::kTessera;
  uint64_t seed = 0;  // of a random program
  std::string path;   // of a file
  ModelLayer layer;   // of the model at |path|
};

// Begins a text that says why a finding has no dump.
inline constexpr std::string_view kNoDump = "none: ";

// The result of one item; goes from one process to another as JSON.
struct RegressEnd {
  std::string difference;          // "" if all machines agree
  std::string machine;             // the machine that differs from the first
  std::string memory;              // the memory with which it differs
  std::string kept;                // the file with the shrunk program; "" if there is none
  std::string dump;                // the file for `tessera debug`; kNoDump and why; "": none
  std::string refused;             // what is wrong with a file
  bool left_out = false;           // the file is for a configuration that this run leaves out
  int64_t instructions = 0;        // retired by the first machine
  int64_t small_instructions = 0;  // of the program in |kept|
  std::map<std::string, MachineTime> time;  // by machine with a clock
  rig::CellCounts cells;                    // of the compared instructions
  // The most tokens in each counter, by configuration and profile: "tiny tessera".
  std::map<std::string, rig::TokenCounts> tokens;
};
std::string ToText(const RegressEnd& end);
RegressEnd RegressEndOf(const std::string& text);

struct RegressSetup {
  std::vector<DeviceSpec> machines;  // the first is the reference
  std::vector<isa::Config> configs;
  std::vector<std::string> config_words;  // the configurations as the user gave them
  std::string corpus;                     // folder of kept programs
  std::string dump_dir;                   // where findings leave dumps; "": nowhere
  bool shrink = true;                     // shrink and keep programs that differ
  bool check_races = false;               // a race counts as a difference
};

// The random program of |seed|, mostly short, sometimes long. Cheap: only makes the item.
RegressItem RandomItem(const RegressSetup& setup, size_t config, isa::Profile profile,
                       uint64_t seed);

// Runs items; the machines stay open from one to the next.
class RegressRunner {
 public:
  explicit RegressRunner(const RegressSetup& setup) : setup_(setup) {}

  // |careful|: run machines in a process of their own, for an item that has crashed one.
  RegressEnd Run(const RegressItem& item, bool careful);

 private:
  RegressEnd RunProgram(const RegressItem& item, const isa::ProgramImage& image,
                        const rig::MemoryChoice& memory, bool careful);
  void MakeSmall(const RegressItem& item, isa::ProgramImage& image, const rig::MemoryChoice& memory,
                 RegressEnd& end);
  void Dump(const RegressItem& item, const isa::ProgramImage& image,
            const rig::MemoryChoice& memory, RegressEnd& end);
  RegressEnd RunFile(const RegressItem& item, bool careful);
  RegressEnd Compare(size_t config, const isa::ProgramImage& image,
                     const rig::MemoryChoice& memory);
  RegressEnd CompareAside(size_t config, const isa::ProgramImage& image,
                          const rig::MemoryChoice& memory);
  Result<rig::Lockstep*> Machines(size_t config);

  const RegressSetup& setup_;
  std::map<size_t, std::unique_ptr<rig::Lockstep>> lockstep_;  // by config
  std::unique_ptr<IsolatedProcess> aside_;
  bool own_machines_ = false;  // in the process aside: |lockstep_| holds its own machines
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_REGRESS_ITEMS_H_
