// SPDX-License-Identifier: Apache-2.0
//
// The log of a search (explore/search.h).
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "explore/search.h"

namespace tessera::explore {
namespace {

using nlohmann::ordered_json;

constexpr const char* kVersion = "tessera explore 1";

ordered_json HeadOf(const SearchIdentity& id) {
  return {{"log", kVersion},       {"networks", id.networks}, {"part", id.part},
          {"sweep", id.sweep},     {"base", id.base},         {"objective", id.objective},
          {"search", id.strategy}, {"seed", id.seed}};
}

// What of |head| another search has otherwise; "": nothing.
std::string OtherThan(const ordered_json& head, const ordered_json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    if (!head.contains(key)) return key + std::string(" is not there");
    if (head[key] != value)
      return fmt::format("{} is {} there and {} here", key, head[key].dump(), value.dump());
  }
  return "";
}

Result<std::pair<std::pair<int64_t, Stage>, MachineCost>> AnswerOf(const std::string& line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  const auto bad = [] { return Fail(Code::kDataLoss, "it is no answer of a search"); };
  if (!json.is_object() || !json.contains("machine") || !json["machine"].is_number_integer() ||
      !json.contains("stage") || !json.contains("cost"))
    return bad();
  const std::array stages{Stage::kPredict, Stage::kRun, Stage::kTune, Stage::kProve};
  const auto* stage =
      std::ranges::find_if(stages, [&](Stage named) { return json["stage"] == StageText(named); });
  if (stage == stages.end()) return bad();
  TESSERA_ASSIGN(MachineCost cost, ParseCost(json["cost"].dump()));
  return std::pair(std::pair(json["machine"].get<int64_t>(), *stage), std::move(cost));
}

Status ReadAnswers(const std::string& path, const std::string& text, const SearchIdentity& identity,
                   KnownAnswers* known) {
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) break;  // a killed search's last line
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (++number == 1) {
      const auto head = ordered_json::parse(line, nullptr, false);
      if (!head.is_object() || head.value("log", "") != kVersion) {
        return Fail(Code::kDataLoss, "{}: it is no log of `{}`; give another folder with -o", path,
                    kVersion);
      }
      if (const std::string other = OtherThan(head, HeadOf(identity)); !other.empty()) {
        return Fail(Code::kInvalidArgument,
                    "{}: it is the log of another search: {}; give the same options, or another "
                    "folder with -o",
                    path, other);
      }
      continue;
    }
    auto answer = AnswerOf(line);
    if (!answer) {
      return Fail(answer.error().code, "{}:{}: {}; delete the line, or give another folder with -o",
                  path, number, answer.error().message);
    }
    known->insert_or_assign(answer->first, std::move(answer->second));
  }
  return {};
}

}  // namespace

Result<ExploreLog> ExploreLog::Open(const std::string& path, const SearchIdentity& identity,
                                    bool resume, KnownAnswers* known) {
  std::string text;
  TESSERA_ASSIGN(LineLog log, LineLog::Open(path, "answers", resume, &text));
  TESSERA_TRY(ReadAnswers(path, text, identity, known));
  if (text.find('\n') == std::string::npos) TESSERA_TRY(log.Append(HeadOf(identity).dump() + "\n"));
  return ExploreLog(std::move(log));
}

Status ExploreLog::Append(int64_t machine, Stage stage, const MachineCost& cost) {
  return log_.Append(fmt::format("{{\"machine\":{},\"stage\":\"{}\",\"cost\":{}}}\n", machine,
                                 StageText(stage), PrintCost(cost)));
}

}  // namespace tessera::explore
