// SPDX-License-Identifier: Apache-2.0
//
// Random tensor expressions under random schedules against their definition, for a back end: finds
// a program that differs and makes its schedule short. Tests only.
//
//   TESSERA_SCHEDULE_PROGRAMS   programs of a search (default: what the test says)
//   TESSERA_SCHEDULE_SEED       the first seed (default 0)
#ifndef TESSERA_TESTS_COMPILER_LOWER_AGREE_H_
#define TESSERA_TESTS_COMPILER_LOWER_AGREE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "compiler/schedule/schedule.h"
#include "tests/compiler/lower/random_te.h"

namespace tessera::test {

// A program to run: |values| holds its inputs and, by te::Evaluate, its result.
struct ScheduledProgram {
  schedule::Schedule schedule;
  te::Tensor output;
  te::Values values;
};

// "": it computes |values|, or cannot be lowered for a reason that a test of lowering knows;
// else what differs.
using ProgramCheck = std::function<std::string(const ScheduledProgram&)>;

struct ProgramSearch {
  uint64_t seed = 0;  // of the first program; the others count on
  uint64_t programs = 100;
  int most_steps = 24;
};

struct SearchResult {
  uint64_t programs = 0;
  std::set<size_t> kinds;                 // of steps that were legal, by index
  std::optional<std::string> difference;  // seed, expression, shortened schedule, what differs
};

// Runs programs until one differs. Every other program's decisions are picked anew after it was
// made, any value of each domain: all of them must be legal, else that is a difference.
SearchResult FindDifference(const ProgramCheck& check, ProgramSearch search);

// |trace| without the steps that |fails| does not need; what does not replay is none.
schedule::Trace Shortened(const te::Tensor& output, schedule::Trace trace,
                          const std::function<bool(const schedule::Schedule&)>& fails);

// "" if |func|, over |program|'s arguments as Arguments() lays them out, was interpreted and gave
// the result.
std::string DifferenceOf(const ScheduledProgram& program, const ir::Func& func);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_LOWER_AGREE_H_
