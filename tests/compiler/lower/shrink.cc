// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/shrink.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/check.h"
#include "tests/compiler/lower/random_te.h"

namespace tessera::test {
namespace {

using schedule::Schedule;
using schedule::Step;
using schedule::Trace;

// |trace| without those steps. Where that is one cache_write, what follows is asked of the stage
// itself.
Trace Without(Trace trace, size_t begin, size_t end) {
  const auto first = trace.begin() + static_cast<int64_t>(begin);
  const auto* copy = std::get_if<schedule::CacheWriteStep>(&*first);
  const std::string name = copy != nullptr && end == begin + 1 ? copy->name : "",
                    stage = copy != nullptr ? copy->stage : "";
  trace.erase(first, trace.begin() + static_cast<int64_t>(end));
  const auto rename = [&](auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>) {
      if (!name.empty() && field == name) field = stage;
    }
  };
  for (size_t n = begin; n < trace.size(); ++n) {
    std::visit(
        [&](auto& step) {
          std::apply([&](auto&... fields) { (rename(fields), ...); }, step.Fields(step));
        },
        trace[n]);
  }
  return trace;
}

// Without pieces first, then without single steps, from the end: a step may need those before it.
Trace WithFewerSteps(Trace trace, const std::function<bool(const Trace&)>& fails) {
  for (size_t piece = std::max<size_t>(trace.size() / 2, 1);;
       piece = std::max<size_t>(piece / 2, 1)) {
    bool shorter = false;
    for (size_t end = trace.size(); end > 0;) {
      const size_t begin = end > piece ? end - piece : 0;
      Trace without = Without(trace, begin, end);
      if (fails(without)) {
        trace = std::move(without);
        shorter = true;
      }
      end = begin;
    }
    if (piece == 1 && !shorter) return trace;
  }
}

// |step| with one of its numbers smaller, or as a number what was decided, |decided|.
std::vector<Step> Smaller(const Step& step, const std::map<std::string, int64_t>& decided) {
  std::vector<Step> all;
  std::visit(
      [&](auto smaller) {
        const auto amount = [&](auto& field) {
          if constexpr (std::is_same_v<std::decay_t<decltype(field)>, schedule::Amount>) {
            const schedule::Amount was = field;
            const auto known = decided.find(was.decision);
            if (known != decided.end()) {
              field = known->second;
              all.push_back(smaller);
            }
            for (int64_t value = 1; was.decision.empty() && value < was.value; ++value) {
              field = value;
              all.push_back(smaller);
            }
            field = was;
          }
        };
        std::apply([&](auto&... fields) { (amount(fields), ...); }, smaller.Fields(smaller));
      },
      step);
  return all;
}

// With the least numbers, one step after the other.
bool MakeFactorsSmaller(Trace* trace, const std::function<bool(const Trace&)>& fails) {
  bool changed = false;
  std::map<std::string, int64_t> decided;
  for (size_t n = 0; n < trace->size(); ++n) {
    if (const auto* decide = std::get_if<schedule::DecideStep>(&(*trace)[n]);
        decide != nullptr && decide->value.words.empty())
      decided[decide->name] = decide->value.number;
    for (bool again = true; again;) {  // one that became a number may become a smaller one
      again = false;
      for (const Step& smaller : Smaller((*trace)[n], decided)) {
        Trace other = *trace;
        other[n] = smaller;
        if (!fails(other)) continue;
        *trace = std::move(other);
        changed = again = true;
        break;
      }
    }
  }
  return changed;
}

// |trace|, and it with one number smaller.
std::vector<Trace> WithOneSmaller(const Trace& trace) {
  std::vector<Trace> all{trace};
  for (size_t n = 0; n < trace.size(); ++n) {
    for (const Step& step : Smaller(trace[n], {})) {
      all.push_back(trace);
      all.back()[n] = step;
    }
  }
  return all;
}

// Those steps of |trace| that are legal on |output|.
Schedule LegalOf(const te::Tensor& output, const Trace& trace,
                 const std::shared_ptr<const target::Target>& target) {
  Result<Schedule> s = Schedule::Create({output}, target);
  TESSERA_CHECK(s.has_value());
  for (const Step& step : trace) (void)s->Apply(step).has_value();
  return std::move(*s);
}

std::shared_ptr<const target::Target> TargetOf(const Schedule& s) {
  return std::make_shared<const target::Target>(s.target());
}

}  // namespace

Trace Shortened(const te::Tensor& output, Trace trace,
                const std::shared_ptr<const target::Target>& target,
                const std::function<bool(const Schedule&)>& fails) {
  const auto replayed = [&](const Trace& other) {
    const Result<Schedule> s = Schedule::Replay({output}, other, target);
    return s && fails(*s);
  };
  do {
    trace = WithFewerSteps(std::move(trace), replayed);
  } while (MakeFactorsSmaller(&trace, replayed));
  return trace;
}

std::string Smallest(uint64_t seed, const ScheduledProgram& program, const ProgramCheck& check) {
  const std::shared_ptr<const target::Target> target = TargetOf(program.schedule);
  ScheduledProgram least = program;
  const auto shorten = [&] {
    const Trace trace =
        Shortened(least.output, least.schedule.trace(), target, [&](const Schedule& s) {
          return !check({s, least.output, least.values}).empty();
        });
    least.schedule = *Schedule::Replay({least.output}, trace, target);
  };
  shorten();
  Rng again(seed);
  const bool drawn = te::Print({RandomExpression(again)}) == te::Print({program.output});
  for (int64_t most = 1; drawn && most <= kMostExtent; ++most) {
    bool found = false;
    for (const bool epilogue : {false, true}) {
      Rng rng(seed);
      const te::Tensor smaller = RandomExpression(rng, {.most_extent = most, .epilogue = epilogue});
      te::Values values = RandomInputs(smaller, rng);
      if (!te::Evaluate({smaller}, &values)) continue;
      // With the same steps, or a number of one of them smaller as well.
      for (const Trace& trace : WithOneSmaller(least.schedule.trace())) {
        const ScheduledProgram other{LegalOf(smaller, trace, target), smaller, values};
        found = !check(other).empty();
        if (!found) continue;
        least = other;
        shorten();
        break;
      }
      if (found) break;
    }
    if (found) break;
  }
  return ReportOf(seed, least.output, least.schedule.trace()) + check(least);
}

std::string ReportOf(uint64_t seed, const te::Tensor& output, const Trace& trace) {
  const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter =
      test == nullptr ? ""
                      : fmt::format(" --gtest_filter={}.{}", test->test_suite_name(), test->name());
  return fmt::format(
      "seed {0}; again: TESSERA_SCHEDULE_SEED={0} TESSERA_SCHEDULE_PROGRAMS=1 and{1}\n{2}{3}", seed,
      filter, te::Print({output}), schedule::Print(trace));
}

}  // namespace tessera::test
