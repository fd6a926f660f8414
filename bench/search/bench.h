// SPDX-License-Identifier: Apache-2.0
//
// What the tables of search_bench have in common: the layers, what a trial of them costs, and the
// searches of contestants. Depends on: compiler/tune. Used by: main.cc, the tables.
#ifndef TESSERA_BENCH_SEARCH_BENCH_H_
#define TESSERA_BENCH_SEARCH_BENCH_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/tune/record_log.h"
#include "compiler/tune/search.h"
#include "compiler/tune/time_measure.h"

namespace tessera::bench {

// The command line.
struct BenchOptions {
  std::vector<std::string> models, only, named;
  std::string config = "default", table, curves, keep;
  bool host = false, time = false;
  bool alone = false;  // each layer of the accelerator alone, instead of with those it shares with
  int64_t trials = 0, layers = 0, most = 1500;
  uint64_t seeds = 0;
  int workers = 1;
  double seconds = 5;
};

// A layer: a search has its task alone.
struct BenchLayer {
  std::vector<tune::Task> task;
  tune::Space::Size size;
  tune::Task& operator*() { return task[0]; }
};

struct BenchLayers {
  isa::Config config;
  std::vector<BenchLayer> all;
};

// The layers of |options|' models with at least kFewest points, each different layer once, of
// |options|.named alone if it names any. Points
// are counted up to |options|.most. |template_only|: of the first sketch alone, as templates are.
//   errors  those of ImportModel and Compile; kNotFound  no layer has so many points
inline constexpr int64_t kFewest = 16;
Result<BenchLayers> LayersOf(const BenchOptions& options, bool template_only = false);
// Those whose spaces are small enough to measure every point.
//   errors  LayersOf's; kNotFound  there is no such layer
Result<BenchLayers> CountedLayersOf(const BenchOptions& options);

// What the points of layers cost: cycles, or nanoseconds on the host. Each is measured once and
// remembered, so that contestants see the same surface. With a folder also from run to run, in a
// file of records of this very program: another build of it measures anew.
class Costs {
 public:
  //   errors  those of RecordLog::Open and ReadFile
  static Result<std::unique_ptr<Costs>> Open(const BenchOptions& options,
                                             const isa::Config& config);
  // Before the first use of |task|, which outlives the costs: measures the given point.
  //   errors  kNotFound  the given point has no cost; those of RecordLog::Append
  Status Begin(tune::Task& task);
  uint64_t Given(const tune::Task& task) const { return given_.at(&task); }
  // The cost of |point|. Any number of threads may call. A point that takes far more cycles than
  // the given one has none, as in `tessera tune`.
  tune::Measured Of(const tune::Task& task, const tune::Point& point);
  // The same, measured now.
  tune::Measured Anew(const tune::Task& task, const tune::Point& point);
  // The cost of |point| as a share of the compiler's choice; on the host of both in many turns.
  //   errors  kNotFound  the point has no cost
  Result<double> ShareOf(const tune::Task& task, const tune::Point& point);
  const char* unit() const { return host_ ? "ns" : "cycles"; }

 private:
  using Surface = std::unordered_map<uint64_t, tune::Measured>;

  bool host_ = false;
  isa::Config config_;
  std::unique_ptr<tune::TimeMeasurer> measurer_;  // of the host
  std::optional<tune::RecordLog> log_;
  tune::RecordFile kept_;
  std::mutex mutex_;
  std::map<const tune::Task*, Surface> surfaces_;
  std::map<const tune::Task*, uint64_t> given_;
};

// A layer's whole space, measured.
struct Whole {
  static constexpr double kNear = 1.01;  // of the best
  static constexpr int64_t kRare = 20;

  std::vector<std::pair<tune::Point, uint64_t>> all;  // points that have a cost, and their costs
  uint64_t best = UINT64_MAX;

  // The most that counts as near the best; the points that are.
  double limit() const { return kNear * static_cast<double>(best); }
  int64_t near() const;
  // Whether any search is soon near the best: more than one point in kRare is.
  bool easy() const { return kRare * near() > std::ssize(all); }
};
//   errors  kNotFound  no point has a cost
Result<Whole> WholeOf(BenchLayer& layer, Costs& costs);

// Who searches.
struct Contestant {
  const char* name;
  const char* strategy;
  tune::ModelKind model = tune::ModelKind::kNone;
  bool from_given = false;     // begins at the compiler's choice
  bool transfer = false;       // begins with what its searches of the layers before have learned
  const char* published = "";  // what its authors say
};

// The least cost after each trial of one search; UINT64_MAX: none yet.
using Course = std::vector<uint64_t>;
// The trials until |course| is at most |wanted|; nothing: it never is.
std::optional<size_t> TrialsUntil(const Course& course, double wanted);
// The best after |trials|, of which the search may have ended earlier.
uint64_t BestAfter(const Course& course, size_t trials);

// What the searches of the layers before teach, by contestant and seed.
using Taught = std::map<std::pair<std::string, uint64_t>, std::vector<tune::Lessons>>;

struct RunOptions {
  uint64_t seed = 1;
  int64_t trials = 0;  // 0: no limit
  size_t batch = 8;
  int workers = 1;
  std::function<bool(uint64_t best)> enough = [](uint64_t) { return false; };
};
// One search of |layer| by |contestant|.
//   errors  those of Search::Make and Search::Run
Result<Course> CourseOf(BenchLayer& layer, const isa::Config& config, const Contestant& contestant,
                        const RunOptions& options, Costs& costs, Taught* taught);

// Whether this build can run |contestant|, and the command line wants it.
bool Takes(const BenchOptions& options, const Contestant& contestant);

// What the contestants found of a layer.
struct LayerCourses {
  std::vector<std::vector<Course>> courses;  // by contestant and seed
  uint64_t best = UINT64_MAX, given = 0;     // the best known; the compiler's choice
};
// All searches of |layers| by |contestants|, with a line for each layer.
//   errors  those of Costs::Begin and CourseOf
Result<std::vector<LayerCourses>> RunAll(const BenchOptions& options,
                                         const std::vector<const Contestant*>& contestants,
                                         BenchLayers& layers, Costs& costs);

// Two contestants, by name: one that should save trials against the other one.
struct Pair {
  const char* what;
  const char* with;
  const char* without;
  double bar = 0;  // the wanted share of the trials; 0: none
  const char* published = "";
};
// Prints for each pair the trials until |with| is as good as |without| after all trials, as a share
// of the trials that |without| needed for that: quartiles over layers and seeds, the share of the
// sums, and how many searches did not come so far.
void PrintPairs(std::span<const Pair> pairs, const std::vector<const Contestant*>& contestants,
                const std::vector<LayerCourses>& layers);

double Quantile(std::vector<double> values, double share);
// A line that a terminal shows while a search runs; "": none.
void ShowProgress(const std::string& text);

// The tables.
Status PrintSamples(const BenchOptions& options);
Status PrintRanks(const BenchOptions& options);
Status PrintCurves(const BenchOptions& options);
Status PrintDuels(const BenchOptions& options);
Status PrintRates(const BenchOptions& options);

}  // namespace tessera::bench

#endif  // TESSERA_BENCH_SEARCH_BENCH_H_
