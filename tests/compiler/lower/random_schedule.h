// SPDX-License-Identifier: Apache-2.0
//
// Random schedules for random expressions, of every kind of step. Tests only.
#ifndef TESSERA_TESTS_COMPILER_LOWER_RANDOM_SCHEDULE_H_
#define TESSERA_TESTS_COMPILER_LOWER_RANDOM_SCHEDULE_H_

#include <memory>
#include <string>

#include "base/rng.h"
#include "compiler/schedule/schedule.h"
#include "compiler/target/target.h"
#include "compiler/te/te.h"

namespace tessera::test {

// The interpreter with an instruction that copies up to 16 elements in any steps, and little `acc`.
std::shared_ptr<const target::Target> CopyingTarget();

// Up to |steps| random steps, legal ones kept. One that is refused changes nothing, or it ends the
// program.
schedule::Schedule RandomSchedule(
    const te::Tensor& output, int steps, Rng& rng,
    const std::shared_ptr<const target::Target>& target = target::Interpreter());

// Applies a line; if it is refused, makes sure that it changes nothing.
bool Try(const std::string& step, schedule::Schedule* s);

// What kind of step it is: its name, and for some what it may differ in: "decide tiles",
// "decide tiles most", "split pad".
std::string KindOf(const schedule::Step& step);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_LOWER_RANDOM_SCHEDULE_H_
