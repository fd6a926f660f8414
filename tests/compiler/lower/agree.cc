// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/agree.h"

#include <fmt/format.h>

#include <cstdlib>

#include "compiler/ir/interp.h"
#include "compiler/ir/print.h"

namespace tessera::test {
namespace {

uint64_t FromEnvironment(const char* name, uint64_t value) {
  const char* text = std::getenv(name);
  return text == nullptr ? value : std::strtoull(text, nullptr, 10);
}

// The same steps with any value of each decision's domain. Behind a stage that is computed
// elsewhere, or an order that is another, steps may be refused, but no value of a domain, nor the
// step that a place or an order is for.
Result<schedule::Schedule> PickedAnew(const te::Tensor& output, const schedule::Trace& trace,
                                      Rng& rng) {
  TESSERA_ASSIGN(schedule::Schedule s, schedule::Schedule::Create({output}));
  bool moved = false, wanted = false;
  for (schedule::Step step : trace) {
    auto* decide = std::get_if<schedule::DecideStep>(&step);
    if (decide != nullptr) {
      const Result<std::vector<schedule::Choice>> values = s.ValuesOf(*decide);
      if (!values && moved) continue;
      if (!values) return std::unexpected(values.error());
      const schedule::Choice was = decide->value;
      decide->value = (*values)[static_cast<size_t>(rng.Range(0, std::ssize(*values) - 1))];
      moved |= !was.words.empty() && decide->value != was;
    }
    const Status applied = s.Apply(step);
    if (!applied && (!moved || wanted || decide != nullptr))
      return std::unexpected(applied.error());
    wanted = decide != nullptr && !decide->value.words.empty();  // by the next step
  }
  return s;
}

}  // namespace

schedule::Trace Shortened(const te::Tensor& output, schedule::Trace trace,
                          const std::function<bool(const schedule::Schedule&)>& fails) {
  // Pieces first, then single steps, from the end: a step may need those before it.
  for (size_t piece = std::max<size_t>(trace.size() / 2, 1);;
       piece = std::max<size_t>(piece / 2, 1)) {
    bool shorter = false;
    for (size_t end = trace.size(); end > 0;) {
      const size_t begin = end > piece ? end - piece : 0;
      schedule::Trace without = trace;
      without.erase(without.begin() + static_cast<int64_t>(begin),
                    without.begin() + static_cast<int64_t>(end));
      const auto s = schedule::Schedule::Replay({output}, without);
      if (s && fails(*s)) {
        trace = std::move(without);
        shorter = true;
      }
      end = begin;
    }
    if (piece == 1 && !shorter) return trace;
  }
}

SearchResult FindDifference(const ProgramCheck& check, ProgramSearch search) {
  search.seed = FromEnvironment("TESSERA_SCHEDULE_SEED", search.seed);
  search.programs = FromEnvironment("TESSERA_SCHEDULE_PROGRAMS", search.programs);
  SearchResult result;
  for (uint64_t seed = search.seed; seed < search.seed + search.programs; ++seed) {
    Rng rng(seed);
    const te::Tensor out = RandomExpression(rng);
    schedule::Schedule s =
        RandomSchedule(out, static_cast<int>(rng.Range(0, search.most_steps)), rng);
    const auto report = [&](const schedule::Trace& trace, const std::string& why) {
      result.difference =
          fmt::format("seed {}\n{}{}{}", seed, te::Print({out}), schedule::Print(trace), why);
      return result;
    };
    if (seed % 2 == 1) {
      Result<schedule::Schedule> again = PickedAnew(out, s.trace(), rng);
      if (!again)
        return report(s.trace(), "a value of a domain is not legal: " + again.error().message);
      s = std::move(*again);
    }
    te::Values values = RandomInputs(out, rng);
    TESSERA_CHECK(te::Evaluate({out}, &values).has_value());
    ++result.programs;
    for (const schedule::Step& step : s.trace()) result.kinds.insert(step.index());
    if (check({s, out, values}).empty()) continue;
    const schedule::Trace trace = Shortened(out, s.trace(), [&](const schedule::Schedule& other) {
      return !check({other, out, values}).empty();
    });
    const schedule::Schedule least = *schedule::Schedule::Replay({out}, trace);
    return report(trace, check({least, out, values}));
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
