// SPDX-License-Identifier: Apache-2.0
//
// Text of a trace.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "compiler/schedule/apply.h"
#include "compiler/schedule/schedule.h"

namespace tessera::schedule {

std::string Print(const Trace& trace) {
  std::string text;
  for (const Step& s : trace) text += fmt::format("{} {}\n", s.prim, fmt::join(s.words, " "));
  return text;
}

Result<Trace> ParseTrace(const std::string& text) {
  Trace trace;
  std::istringstream in(text);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (const size_t comment = line.find('#'); comment != std::string::npos) line.resize(comment);
    std::istringstream words(line);
    Step step;
    if (!(words >> step.prim)) continue;
    if (std::ranges::find(Primitives(), step.prim, &Primitive::name) == Primitives().end()) {
      std::string names;
      for (const Primitive& p : Primitives()) {
        if (p.refused.empty()) names += (names.empty() ? "" : " ") + p.name;
      }
      return Fail(Code::kInvalidArgument, "schedule line {}: '{}' is no primitive; there are {}",
                  number, step.prim, names);
    }
    for (std::string word; words >> word;) step.words.push_back(word);
    trace.push_back(std::move(step));
  }
  return trace;
}

Trace WithDecisions(Trace trace, const std::map<std::string, int64_t>& values) {
  for (Step& s : trace) {
    if (s.prim != "decide" || s.words.size() < 2) continue;
    auto it = values.find(s.words[0]);
    if (it == values.end()) continue;
    for (size_t i = 1; i + 1 < s.words.size(); ++i) {  // NAME {A B C} PICK
      std::string word = s.words[i];
      std::erase_if(word, [](char c) { return c == '{' || c == '}'; });
      if (word == std::to_string(it->second)) s.words.back() = std::to_string(i - 1);
    }
  }
  return trace;
}

}  // namespace tessera::schedule
