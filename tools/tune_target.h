// SPDX-License-Identifier: Apache-2.0
//
// What `tessera tune` needs to know of the machine for which it searches: what can be chosen, how a
// choice is measured, and how the best choices make a network. Depends on: compiler/tune. Used by:
// tune. A target is one class in a file of its own: tune_accel.cc, tune_timed.cc.
#ifndef TESSERA_TOOLS_TUNE_TARGET_H_
#define TESSERA_TOOLS_TUNE_TARGET_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/graph/graph.h"
#include "compiler/tune/record_log.h"
#include "compiler/tune/search.h"
#include "runtime/artifact/artifact.h"
#include "tools/curve_picture.h"
#include "tools/import_words.h"
#include "tools/output.h"
#include "tools/slurm.h"

namespace tessera::tools {

struct TuneFlags {
  std::string model, output, config = "default", target = "vta", budget, json;
  std::string strategy = "evolution", cost_model;  // "": the best of this build
  std::string level;                               // of host code; "": this machine's
  ImportWords import;
  std::string curves, t4, load_model, save_model;
  int64_t trials = 0, seed = 1, workers = 0;
  double min_gain = 0;  // per cent; 0: the budget alone ends a search
  bool resume = false, explain = false, no_transfer = false;
  SlurmWords slurm;
};

// The network for which the search is.
struct TunedNetwork {
  graph::Graph graph;
  uint64_t crc = 0;  // of the model's file
};

// A part of a search: tasks that compete for a share of the budget. The rest is for the network.
struct TuneStage {
  const char* name;  // of its curve
  std::vector<tune::Task>* tasks;
  double share;
  const char* strategy;  // null: the user's
};

// What one stage found.
struct Found {
  std::vector<tune::Task>* tasks = nullptr;
  tune::Search search;
  int64_t known = 0;
  Curve curve;
};

// What the search gained for the network.
struct TuneGain {
  uint64_t given = 0, best = 0;    // in the target's unit: without records, with them
  std::string told;                // for people, in one line
  std::vector<std::string> notes;  // more lines
};

class TuneTarget {
 public:
  virtual ~TuneTarget() = default;

  virtual const char* unit() const = 0;  // of what is measured, as in records: "cycles"
  virtual const isa::Config& config() const = 0;
  virtual size_t CountStages() const = 0;
  // Stage |k|, after the stages before it.
  virtual TuneStage StageAt(size_t k) = 0;
  // Called before a stage begins, for each task with trials of an earlier search.
  virtual void Know(const tune::Task& task, uint64_t given, uint64_t best) = 0;
  virtual tune::Measured Measure(const tune::Task& task, const tune::Point& point,
                                 uint64_t budget) = 0;
  // Prepares the stages behind stage |k|, whose search is |search|.
  virtual Status Adopt(size_t k, const tune::Search& search, tune::RecordLog* log) = 0;
  // What the stages so far chose, and prepares the stages behind them from it, in another process.
  // Targets that are timed have none: times are of one computer.
  virtual std::vector<tune::Record> Adopted() const { return {}; }
  virtual Status Follow(const tune::RecordSet&) { return {}; }
  // Chooses for the network from what the stages found, records the choice, and measures the
  // network that the records make. |over|: whether the budget is spent.
  virtual Result<TuneGain> Choose(const std::vector<Found>& found,
                                  const std::function<bool()>& over, tune::RecordLog* log) = 0;
  // The words of `tessera compile` for this target: "--config default".
  virtual std::string CompileWords() const = 0;
};

// |network| lives as long as the target.
//   errors  kUnsupported  nothing on the target has a choice; those of Compile
Result<std::unique_ptr<TuneTarget>> MakeAccelTuning(const TuneFlags& flags,
                                                    const TunedNetwork& network);
// |gpu|: a kind of GPU; nothing: the host. errors, too: kUnavailable  no GPU
Result<std::unique_ptr<TuneTarget>> MakeTimedTuning(const TuneFlags& flags,
                                                    const TunedNetwork& network,
                                                    std::optional<artifact::DeviceKind> gpu);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TUNE_TARGET_H_
