// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/step.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/schedule/network_step.h"
#include "compiler/schedule/step_text.h"

namespace tessera::schedule {
namespace {

// A step of type S, as one of a language's |OneOf|, from the words behind its name.
template <typename OneOf, typename S>
Result<OneOf> Parse(const step_text::Words& words) {
  S step;
  step_text::Reader reader(words);
  step_text::VisitFields(step, reader);
  if (!reader.error().empty()) return Fail(Code::kInvalidArgument, "{}", reader.error());
  if (!reader.complete())
    return Fail(Code::kInvalidArgument, "{} words; write {}", words.size(), S::kUsage);
  return step;
}

template <typename OneOf>
struct Primitive {
  std::string name, usage;
  Result<OneOf> (*parse)(const step_text::Words&);
};

// Those of the language of |OneOf|, Step or NetworkStep, in its order.
template <typename OneOf, typename... S>
std::vector<Primitive<OneOf>> PrimitivesOf(const std::variant<S...>*) {
  return {{S::kName, S::kUsage, &Parse<OneOf, S>}...};
}
template <typename OneOf>
const std::vector<Primitive<OneOf>>& Primitives() {
  static const auto primitives = PrimitivesOf<OneOf>(static_cast<const OneOf*>(nullptr));
  return primitives;
}

template <typename OneOf>
std::vector<std::string> UsagesOf() {
  std::vector<std::string> usages;
  for (const Primitive<OneOf>& p : Primitives<OneOf>()) usages.push_back(p.usage);
  return usages;
}

template <typename OneOf>
std::string PrintStep(const OneOf& step) {
  return std::visit(
      [](const auto& s) {
        step_text::Writer writer(s.kName);
        step_text::VisitFields(s, writer);
        return writer.text();
      },
      step);
}

template <typename OneOf>
Result<std::vector<OneOf>> ParseSteps(const std::string& text, const std::string& file) {
  std::vector<OneOf> trace;
  std::istringstream in(text);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (const size_t comment = line.find('#'); comment != std::string::npos) line.resize(comment);
    const std::string place =
        fmt::format("{}{}", file.empty() ? "schedule line " : file + ":", number);
    std::istringstream split(line);
    std::string name;
    if (!(split >> name)) continue;
    step_text::Words words;
    for (std::string word; split >> word;) words.push_back(word);
    const auto primitive = std::ranges::find(Primitives<OneOf>(), name, &Primitive<OneOf>::name);
    if (primitive == Primitives<OneOf>().end()) {
      std::vector<std::string> names;
      for (const Primitive<OneOf>& p : Primitives<OneOf>()) names.push_back(p.name);
      return Fail(Code::kInvalidArgument, "{}: '{}' is no primitive; there are {}", place, name,
                  fmt::join(names, " "));
    }
    Result<OneOf> step = primitive->parse(words);
    if (!step) {
      return Within(
          fmt::format("{}{}({} {})", place, file.empty() ? " " : ": ", name, fmt::join(words, " ")),
          step.error());
    }
    if (!file.empty()) step->from = place;
    trace.push_back(std::move(*step));
  }
  return trace;
}

}  // namespace

std::vector<std::string> StepUsages() { return UsagesOf<Step>(); }
std::vector<std::string> NetworkStepUsages(bool for_host) {
  std::vector<std::string> usages = UsagesOf<NetworkStep>();
  std::erase_if(usages, [&](const std::string& usage) {
    return (usage == ChannelsLastStep::kUsage) != for_host;
  });
  return usages;
}

std::string Print(const Choice& choice) {
  return choice.words.empty() ? std::to_string(choice.number)
                              : fmt::format("{}", fmt::join(choice.words, " "));
}

std::string Print(const Step& step) { return PrintStep(step); }

std::string Print(const Trace& trace) {
  std::string text;
  for (const Step& step : trace) text += Print(step) + "\n";
  return text;
}

std::string Print(const NetworkTrace& trace) {
  std::string text;
  for (const NetworkStep& step : trace) text += PrintStep(step) + "\n";
  return text;
}

std::string NameOf(const Step& step, size_t number) {
  return fmt::format("{} step {} ({})", step.from.empty() ? "schedule" : step.from + ":", number,
                     Print(step));
}

std::unexpected<Error> AtStep(const Trace& trace, const std::function<bool(const Step&)>& is,
                              const Error& error) {
  for (size_t n = trace.size(); n-- > 0;) {
    if (is(trace[n]) && !trace[n].from.empty()) return Within(NameOf(trace[n], n + 1), error);
  }
  return std::unexpected(error);
}

Result<Trace> ParseTrace(const std::string& text, const std::string& file) {
  return ParseSteps<Step>(text, file);
}

Result<NetworkTrace> ParseNetworkTrace(const std::string& text, const std::string& file) {
  TESSERA_ASSIGN(NetworkTrace trace, ParseSteps<NetworkStep>(text, file));
  for (size_t n = 0; n < trace.size(); ++n) {
    for (size_t k = 0; k < n; ++k) {
      if (trace[k].index() != trace[n].index()) continue;
      return Fail(Code::kInvalidArgument, "{}{}'{}' is there already; leave one of the two out",
                  trace[n].from, trace[n].from.empty() ? "" : ": ", PrintStep(trace[k]));
    }
  }
  return trace;
}

Trace WithDecisions(Trace trace, const std::map<std::string, Choice>& values) {
  for (Step& step : trace) {
    auto* decide = std::get_if<DecideStep>(&step);
    if (decide == nullptr) continue;
    const auto wanted = values.find(decide->name);
    if (wanted == values.end()) continue;
    decide->value = wanted->second;
  }
  return trace;
}

}  // namespace tessera::schedule
