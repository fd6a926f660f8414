// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/agree.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/check.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/print.h"
#include "tests/compiler/lower/random_schedule.h"

namespace tessera::test {
namespace {

using schedule::Schedule;
using schedule::Trace;

uint64_t NumberFrom(const char* name, uint64_t value) {
  const char* text = std::getenv(name);
  return text == nullptr ? value : std::strtoull(text, nullptr, 10);
}

// The message of a refusal without the step's number.
std::string ReasonOf(const Error& error) { return error.message.substr(error.message.find('(')); }

// |before| with |refused| behind it, without the steps that the refusal does not need.
IllegalPick Illegal(const te::Tensor& output, const Schedule& before, schedule::Step refused,
                    const Error& error) {
  const auto target = std::make_shared<const target::Target>(before.target());
  Trace trace = Shortened(output, before.trace(), target, [&](const Schedule& s) {
    Schedule next = s;
    const Status applied = next.Apply(refused);
    return !applied && ReasonOf(applied.error()) == ReasonOf(error);
  });
  trace.push_back(std::move(refused));
  return {std::move(trace), error.message};
}

}  // namespace

std::optional<Schedule> PickedAnew(const te::Tensor& output, const Schedule& given, Rng& rng,
                                   IllegalPick* illegal) {
  const auto target = std::make_shared<const target::Target>(given.target());
  Schedule s = *Schedule::Create({output}, target);
  bool moved = false, wanted = false;
  for (schedule::Step step : given.trace()) {
    auto* decide = std::get_if<schedule::DecideStep>(&step);
    if (decide != nullptr) {
      const Result<std::vector<schedule::Choice>> values = s.ValuesOf(*decide);
      if (!values && moved) continue;
      if (values) {
        const schedule::Choice was = decide->value;
        decide->value = (*values)[static_cast<size_t>(rng.Range(0, std::ssize(*values) - 1))];
        moved |= !was.words.empty() && decide->value != was;
      }
    }
    const Status applied = s.Apply(step);
    if (!applied && (!moved || wanted || decide != nullptr)) {
      *illegal = Illegal(output, s, step, applied.error());
      return std::nullopt;
    }
    wanted = decide != nullptr && !decide->value.words.empty();  // by the next step
  }
  return s;
}

ProgramSearch FromEnvironment(ProgramSearch search) {
  search.seed = NumberFrom("TESSERA_SCHEDULE_SEED", search.seed);
  search.programs = NumberFrom("TESSERA_SCHEDULE_PROGRAMS", search.programs);
  return search;
}

SearchResult FindDifference(const ProgramCheck& check, ProgramSearch search) {
  search = FromEnvironment(std::move(search));
  SearchResult result;
  for (uint64_t seed = search.seed; seed < search.seed + search.programs; ++seed) {
    Rng rng(seed);
    const te::Tensor out = RandomExpression(rng);
    Schedule s = search.schedule
                     ? search.schedule(out, rng)
                     : RandomSchedule(out, static_cast<int>(rng.Range(0, search.most_steps)), rng,
                                      search.target);
    if (seed % 2 == 1) {
      IllegalPick illegal;
      const std::optional<Schedule> again = PickedAnew(out, s, rng, &illegal);
      if (!again) {
        result.difference =
            ReportOf(seed, out, illegal.trace) + "a value of a domain is not legal: " + illegal.why;
        return result;
      }
      s = *again;
    }
    te::Values values = RandomInputs(out, rng);
    TESSERA_CHECK(te::Evaluate({out}, &values).has_value());
    ++result.programs;
    const ScheduledProgram program{std::move(s), out, std::move(values)};
    if (check(program).empty()) continue;
    result.difference = Smallest(seed, program, check);
    return result;
  }
  return result;
}

std::string DifferenceOf(const ScheduledProgram& program, const ir::Func& func) {
  std::vector<ir::Array> arrays = Arguments(func, program.schedule, program.values);
  std::vector<ir::Array*> pointers;
  for (ir::Array& a : arrays) pointers.push_back(&a);
  const Result<ir::InterpStats> run = ir::Interpret(func, pointers);
  if (!run) return run.error().message + "\n" + ir::Print(func);
  const std::vector<uint8_t> got = Logical(func, program.schedule, arrays.size() - 1, arrays);
  const auto& wanted = program.values.at(program.output.get()).bytes();
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] != wanted[i]) {
      return fmt::format("byte {} is {}, not {}\n{}", i, got[i], wanted[i], ir::Print(func));
    }
  }
  return "";
}

}  // namespace tessera::test
