// SPDX-License-Identifier: Apache-2.0
//
// Programs that a back end computes wrongly, made small. Tests only.
#ifndef TESSERA_TESTS_COMPILER_LOWER_SHRINK_H_
#define TESSERA_TESTS_COMPILER_LOWER_SHRINK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "compiler/schedule/schedule.h"
#include "compiler/te/te.h"

namespace tessera::test {

// A program to run: |values| holds its inputs and, by te::Evaluate, its result.
struct ScheduledProgram {
  schedule::Schedule schedule;
  te::Tensor output;
  te::Values values;
};

// "": it computes |values|, or cannot be lowered for a reason that is known; else what differs.
using ProgramCheck = std::function<std::string(const ScheduledProgram&)>;

// |trace| without the steps that |fails| does not need, by the smallest factors with which it still
// fails; what does not replay on |output| does not.
schedule::Trace Shortened(const te::Tensor& output, schedule::Trace trace,
                          const std::shared_ptr<const target::Target>& target,
                          const std::function<bool(const schedule::Schedule&)>& fails);

// What there is to say of a |program| that |check| finds fault with: seed, expression, schedule,
// what differs, how to run it again. The schedule is Shortened; where the expression is what |seed|
// draws (RandomExpression), it is the smallest of those draws that shows a fault under such steps.
std::string Smallest(uint64_t seed, const ScheduledProgram& program, const ProgramCheck& check);

// The head of what is said of the program that |seed| makes, and how to run the test on it again.
std::string ReportOf(uint64_t seed, const te::Tensor& output, const schedule::Trace& trace);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_LOWER_SHRINK_H_
