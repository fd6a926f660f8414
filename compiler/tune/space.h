// SPDX-License-Identifier: Apache-2.0
//
// What a search may choose: knobs with domains. A point gives each knob a value. A layer's space
// (layer_space.h) has the decisions of its schedule; a program's (network_space.h) has what its
// layers agree on. Depends on: compiler/schedule/domain.h. Used by: the strategies, cost models
// and searches of compiler/tune.
#ifndef TESSERA_COMPILER_TUNE_SPACE_H_
#define TESSERA_COMPILER_TUNE_SPACE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "compiler/driver/evaluate.h"
#include "compiler/schedule/domain.h"

namespace tessera::tune {

// A value for each knob of a space, in the order of its knobs.
struct Point {
  std::vector<schedule::Choice> picks;
  bool operator==(const Point&) const = default;
};
// For deduplication. Points of one space with equal picks have equal hashes.
uint64_t HashOf(const Point& point);
// The hash of picks behind which is |pick|, if that of those in front is |before|; of none it is 0.
uint64_t HashWith(uint64_t before, const schedule::Choice& pick);

// One choice.
struct Knob {
  std::string name;  // unique in its space; in records
};

// A space is used by one thread at a time: it remembers the domains that it has computed.
class Space {
 public:
  virtual ~Space() = default;

  const std::vector<Knob>& knobs() const { return knobs_; }
  // The point that the compiler chooses by itself.
  const Point& given() const { return given_; }
  // Where a search begins: the given point, and points whose kind no other one has.
  virtual std::vector<Point> Starts() { return {given_}; }

  // Gives |program|, which the space is about, what |point| says. Any number of threads may call.
  virtual void Put(const Point& point, compiler::PlannedProgram* program) const = 0;

  // The functions below return legal points: their traces replay. If earlier picks exclude a value,
  // the nearest legal value replaces it. Nothing: several draws found no legal point.
  std::optional<Point> Random(Rng& rng);
  // |point| with another value of one knob.
  std::optional<Point> Mutated(const Point& point, Rng& rng);
  // A point whose knobs each have the value of |a| or of |b|.
  std::optional<Point> Crossed(const Point& a, const Point& b, Rng& rng);
  // A point with the first |count| knobs of |a| and the others of |b|.
  std::optional<Point> Spliced(const Point& a, const Point& b, size_t count);
  // A random point whose knobs have values of |allowed|, any value where that is empty. Nothing:
  // several draws found none; no other value replaces one that is excluded.
  std::optional<Point> Within(const std::vector<std::vector<schedule::Choice>>& allowed, Rng& rng);
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

 protected:
  Space() = default;
  Space(const Space&) = default;
  Space(Space&&) = default;
  Space& operator=(const Space&) = default;
  Space& operator=(Space&&) = default;
  // The values of the knob behind |picks|, of which the first picks are legal; empty: what is in
  // front of the knob is refused.
  virtual std::vector<schedule::Choice> Domain(const std::vector<schedule::Choice>& picks) = 0;
  // Whether |point|, whose picks are in their domains, is legal.
  virtual bool IsLegal(const Point& point) = 0;
  // The value for the knob behind |picks| of a point that is to be as |from|.
  virtual const schedule::Choice& Wanted(const Point& from,
                                         const std::vector<schedule::Choice>& picks) const {
    return from.picks[picks.size()];
  }

  std::vector<Knob> knobs_;
  Point given_;
  bool keeps_domains_ = true;  // Domain is slow: its answers are kept, and memory grows with them

 private:
  // Picks a value of |values| for the knob behind |picks|.
  using Chooser = std::function<schedule::Choice(const std::vector<schedule::Choice>& picks,
                                                 const std::vector<schedule::Choice>& values)>;
  std::optional<Point> Build(const Chooser& choose);
  // The values of the knob after |picks|; null: none, or a step before the knob is refused.
  const std::vector<schedule::Choice>* ValuesAfter(const std::vector<schedule::Choice>& picks);
  bool Replays(const Point& point);
  // From the first point on that has |picks|, in order, the first that replays.
  std::optional<Point> NextFrom(std::vector<schedule::Choice> picks);

  std::vector<schedule::Choice> last_values_;                           // without keeps_domains_
  std::unordered_map<uint64_t, std::vector<schedule::Choice>> values_;  // by the picks before
  std::unordered_map<uint64_t, bool> replays_;
  int64_t rejected_ = 0;
};

// The value of |values| that equals |wanted|; otherwise the nearest number, or the first value.
const schedule::Choice& NearestOf(const std::vector<schedule::Choice>& values,
                                  const schedule::Choice& wanted);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_SPACE_H_
