// SPDX-License-Identifier: Apache-2.0
//
// Random tensor expressions under random schedules against their definition, for a back end: finds
// a program that differs and makes it small (shrink.h). Tests only.
//
//   TESSERA_SCHEDULE_PROGRAMS   programs of a search (default: what the test says)
//   TESSERA_SCHEDULE_SEED       the first seed (default: what the test says)
//
// A long search is one test with thousands of programs; a find is repeated by its seed.
#ifndef TESSERA_TESTS_COMPILER_LOWER_AGREE_H_
#define TESSERA_TESTS_COMPILER_LOWER_AGREE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/rng.h"
#include "compiler/schedule/schedule.h"
#include "compiler/target/target.h"
#include "tests/compiler/lower/random_te.h"
#include "tests/compiler/lower/shrink.h"

namespace tessera::test {

struct ProgramSearch {
  uint64_t seed = 0;  // of the first program; the others count on
  uint64_t programs = 100;
  std::shared_ptr<const target::Target> target = target::Interpreter();
  int most_steps = 24;
  // Makes a program's schedule for |target|; null: RandomSchedule of up to |most_steps|.
  std::function<schedule::Schedule(const te::Tensor&, Rng&)> schedule = nullptr;
};

struct SearchResult {
  uint64_t programs = 0;
  std::optional<std::string> difference;  // what Smallest says of the first one
};

// |search| with what the environment asks for.
ProgramSearch FromEnvironment(ProgramSearch search);

// Runs programs until one differs. Every other program's decisions are picked anew after it was
// made, any value of each domain: all of them must be legal, else that is a difference.
SearchResult FindDifference(const ProgramCheck& check, ProgramSearch search);

// The same steps with any value of each decision's domain. Behind a stage that is computed
// elsewhere, or an order that is another, steps may be refused, but no value of a domain, nor the
// step that a place or an order is for. |illegal|: where one is, a short trace with that pick,
// whose last step is refused, and why.
struct IllegalPick {
  schedule::Trace trace;
  std::string why;
};
std::optional<schedule::Schedule> PickedAnew(const te::Tensor& output, const schedule::Schedule& s,
                                             Rng& rng, IllegalPick* illegal);

// "" if |func|, over |program|'s arguments as Arguments() lays them out, was interpreted and gave
// the result.
std::string DifferenceOf(const ScheduledProgram& program, const ir::Func& func);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_LOWER_AGREE_H_
