// SPDX-License-Identifier: Apache-2.0
//
// The choices of a search for one layer: the decisions of a schedule's trace, and the steps of the
// trace that may be left out. A point has a value for each choice; its trace is a schedule. Depends
// on: compiler/schedule. Used by: the strategies, cost models and searches of compiler/tune.
#ifndef TESSERA_COMPILER_TUNE_SPACE_H_
#define TESSERA_COMPILER_TUNE_SPACE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/rng.h"
#include "compiler/schedule/schedule.h"

namespace tessera::tune {

// A value for each knob of a space, in the order of its knobs.
struct Point {
  std::vector<schedule::Choice> picks;
  bool operator==(const Point&) const = default;
};
// For deduplication. Points of one space with equal picks have equal hashes.
uint64_t HashOf(const Point& point);

// One choice: a decision of the trace, or a step that is there (1) or left out (0).
struct Knob {
  std::string name;       // of the decision; of a step its kind and number: "double_buffer.1"
  size_t step = 0;        // index in the trace
  bool optional = false;  // a step that may be left out
};

// A space is used by one thread at a time: it remembers the domains that it has computed.
class Space {
 public:
  // The space around |trace|, a schedule of |output| for |target|. The double_buffer steps of
  // |trace| are optional.
  //   errors  those of a step that is refused
  static Result<Space> Make(te::Tensor output, schedule::Trace trace,
                            std::shared_ptr<const target::Target> target);

  const std::vector<Knob>& knobs() const { return knobs_; }
  const te::Tensor& output() const { return output_; }
  // The point with the trace around which the space was made.
  const Point& given() const { return given_; }

  // The steps of |point|, which this space must have returned.
  schedule::Trace TraceOf(const Point& point) const;
  //   errors  those of a step that is refused
  Result<schedule::Schedule> ScheduleOf(const Point& point) const;

  // The functions below return legal points: their traces replay. If earlier picks exclude a value,
  // the nearest legal value replaces it. Nothing: several draws found no legal point.
  std::optional<Point> Random(Rng& rng);
  // |point| with another value of one knob.
  std::optional<Point> Mutated(const Point& point, Rng& rng);
  // A point whose knobs each have the value of |a| or of |b|.
  std::optional<Point> Crossed(const Point& a, const Point& b, Rng& rng);
  // A point with the first |count| knobs of |a| and the others of |b|.
  std::optional<Point> Spliced(const Point& a, const Point& b, size_t count);
  // |point| with knob |knob| moved by |by| places in its domain; nothing: the domain ends before.
  std::optional<Point> Moved(const Point& point, size_t knob, int by);
  // |point| made legal.
  std::optional<Point> Fitted(const Point& point);
  // The point with the value of |pick| for each knob's name, or the given value if |pick| has none.
  std::optional<Point> WithPicks(
      const std::function<const schedule::Choice*(const std::string&)>& pick);

  // All points in order: the first one, and the one after |point|; nothing: |point| is the last.
  std::optional<Point> First();
  std::optional<Point> After(const Point& point);

  // The number of points: counted up to |most|, an estimate beyond (the mean over 200 random walks
  // of the product of the domains). It includes points that a later step refuses.
  struct Size {
    double points = 0;
    bool exact = true;
  };
  Size CountPoints(int64_t most = 10'000);

  // Draws whose trace did not replay and that no caller has seen.
  int64_t rejected() const { return rejected_; }
  // The index of |knob|'s value among |count| values, in |point|.
  struct Place {
    size_t index = 0, count = 1;
  };
  Place PlaceOf(const Point& point, size_t knob);

 private:
  // Picks a value of |values| for a knob.
  using Chooser =
      std::function<schedule::Choice(size_t knob, const std::vector<schedule::Choice>& values)>;
  std::optional<Point> Build(const Chooser& choose);
  // The values of the knob after |picks|; null: none, or a step before the knob is refused.
  const std::vector<schedule::Choice>* ValuesAfter(const std::vector<schedule::Choice>& picks);
  bool Replays(const Point& point);
  // Applies to |s|, which has the steps before knob |from|, the steps up to knob |to|.
  Status ApplyUntil(const Point& point, size_t from, size_t to, schedule::Schedule* s) const;
  // The first point that replays, in order from the first point with |picks|.
  std::optional<Point> NextFrom(std::vector<schedule::Choice> picks);

  te::Tensor output_;
  schedule::Trace trace_;
  std::shared_ptr<const target::Target> target_;
  std::vector<Knob> knobs_;
  Point given_;
  std::optional<schedule::Schedule> start_;  // has the steps before the first knob
  std::unordered_map<uint64_t, std::vector<schedule::Choice>> values_;  // by the picks before
  std::unordered_map<uint64_t, bool> replays_;
  int64_t rejected_ = 0;
};

// The value of |values| that equals |wanted|; otherwise the nearest number, or the first value.
const schedule::Choice& NearestOf(const std::vector<schedule::Choice>& values,
                                  const schedule::Choice& wanted);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_SPACE_H_
