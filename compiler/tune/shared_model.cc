// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/shared_model.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/hash.h"
#include "base/number.h"
#include "compiler/schedule/trace_file.h"
#include "compiler/tune/features.h"

namespace tessera::tune {
namespace {

using nlohmann::ordered_json;

constexpr const char* kFormat = "tessera tune model";
constexpr int64_t kVersion = 2;  // of the file

std::string HashText(uint64_t value) { return fmt::format("{:016x}", value); }

const char* EstimateWords(bool estimate) {
  return estimate ? "corrects the compiler's estimate" : "does not know the compiler's estimate";
}

uint64_t HashOfRow(const std::vector<float>& row) {
  return Crc64({reinterpret_cast<const uint8_t*>(row.data()), row.size() * sizeof row[0]});
}

// The hashes of |json|'s member "trials"; nothing: it is no list of hashes.
std::optional<std::set<uint64_t>> HashesOf(const ordered_json& json) {
  const auto member = json.find("trials");
  if (member == json.end() || !member->is_array()) return std::nullopt;
  std::set<uint64_t> hashes;
  for (const ordered_json& one : *member) {
    const std::string digits = one.is_string() ? one.get<std::string>() : "";
    const auto hash = NumberIn<uint64_t>(digits, 16);
    if (!hash) return std::nullopt;
    hashes.insert(*hash);
  }
  return hashes;
}

// The text of member |name| of |json|; "": |json| has no such member.
std::string TextOf(const ordered_json& json, const char* name) {
  const auto member = json.find(name);
  return member != json.end() && member->is_string() ? member->get<std::string>() : "";
}

int64_t NumberOf(const ordered_json& json, const char* name) {
  const auto member = json.find(name);
  return member != json.end() && member->is_number_integer() ? member->get<int64_t>() : -1;
}

}  // namespace

SharedKind SharedKindOf(const target::Target& target, bool estimate) {
  const bool host = target.FindMemory(ir::Scope::kInp) == nullptr;
  return {host ? schedule::kHostTrace : schedule::kAcceleratorTrace, CommonFeaturesHash(target),
          CommonFeatures(target).size(), estimate};
}

Result<SharedModel> SharedModel::With(std::span<const Lessons> lessons, bool kept) const {
  SharedModel made(kind_);
  made.seen_ = seen_;
  BoosterRows rows;
  for (const Lessons& task : lessons) {
    const size_t before = made.seen_.size();
    for (const std::vector<float>& row : task.rows) made.seen_.insert(HashOfRow(row));
    if (made.seen_.size() == before) continue;
    for (const std::vector<float>& row : task.rows) rows.rows.emplace_back(row);
    rows.margins.insert(rows.margins.end(), task.starts.begin(), task.starts.end());
    rows.labels.insert(rows.labels.end(), task.labels.begin(), task.labels.end());
    rows.groups.push_back(static_cast<unsigned>(task.rows.size()));
  }
  if (rows.rows.empty()) {
    if (booster_.has_trees()) {
      TESSERA_ASSIGN(const std::string trees, booster_.Text());
      TESSERA_TRY(made.booster_.Load(trees, kind_.count));
    }
    return made;
  }
  const double fresh = static_cast<double>(made.seen_.size() - seen_.size()),
               share = kept ? fresh / static_cast<double>(made.seen_.size()) : 1;
  const int trees = static_cast<int>(std::ceil(share * Booster::kTrees));
  TESSERA_TRY(made.booster_.Train(rows, true, trees, &booster_));
  return made;
}

Result<std::vector<float>> SharedModel::Corrections(
    std::vector<std::span<const float>> rows) const {
  BoosterRows wanted{std::move(rows), {}, {}, {}};
  wanted.margins.resize(wanted.rows.size());
  return booster_.Predict(wanted);
}

uint64_t SharedModel::CrcWith(const std::string& trees) const {
  std::string text = fmt::format("{} {} {} {} {}", kVersion, HashText(kind_.features), kind_.target,
                                 kind_.count, kind_.estimate);
  for (const uint64_t hash : seen_) text += " " + HashText(hash);
  text += "\n" + trees;
  return Crc64({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

Result<std::string> SharedModel::Print() const {
  TESSERA_ASSIGN(const std::string trees, booster_.Text());
  ordered_json trials = ordered_json::array();
  for (const uint64_t hash : seen_) trials.push_back(HashText(hash));
  const ordered_json about{{"format", kFormat},
                           {"version", kVersion},
                           {"features", HashText(kind_.features)},
                           {"target", kind_.target},
                           {"estimate", kind_.estimate},
                           {"trials", trials},
                           {"crc", HashText(CrcWith(trees))}};
  return about.dump() + "\n" + trees + "\n";
}

Result<SharedModel> SharedModel::Parse(const std::string& text, const std::string& file,
                                       const SharedKind& wanted) {
  const size_t end = text.find('\n');
  const ordered_json about = ordered_json::parse(text.substr(0, end), nullptr, false);
  if (!about.is_object() || TextOf(about, "format") != kFormat) {
    return Fail(Code::kInvalidArgument,
                "{}: is no model of tessera tune, or its first line is damaged; give a file that "
                "--save-model wrote",
                file);
  }
  if (const int64_t version = NumberOf(about, "version"); version != kVersion) {
    return Fail(Code::kInvalidArgument,
                "{}: a model file of version {}, and this tessera reads version {}; make it anew "
                "with --save-model",
                file, version, kVersion);
  }
  const std::string features = TextOf(about, "features"), target = TextOf(about, "target");
  if (target != wanted.target) {
    return Fail(Code::kInvalidArgument,
                "{}: a model for target '{}', and this search is for '{}'; give a model that a "
                "search for it saved",
                file, target, wanted.target);
  }
  if (features != HashText(wanted.features)) {
    return Fail(Code::kInvalidArgument,
                "{}: a model of features of version {}, and this tessera has those of version {}; "
                "make it anew with --save-model",
                file, features, HashText(wanted.features));
  }
  SharedModel made(wanted);
  made.kind_.estimate = about.contains("estimate") && about["estimate"] == true;
  auto seen = HashesOf(about);
  std::string trees = end == std::string::npos ? "" : text.substr(end + 1);
  if (trees.ends_with('\n')) trees.pop_back();
  if (seen) made.seen_ = std::move(*seen);
  if (!seen || TextOf(about, "crc") != HashText(made.CrcWith(trees))) {
    return Fail(Code::kDataLoss,
                "{}: is damaged: its checksum is not that of its contents; take another copy, or "
                "make it anew with --save-model",
                file);
  }
  if (made.kind_.estimate != wanted.estimate) {
    return Fail(Code::kInvalidArgument,
                "{}: its model {}, and that of this search {}; give --model {}, or a file that "
                "such a search saved",
                file, EstimateWords(made.kind_.estimate), EstimateWords(wanted.estimate),
                made.kind_.estimate ? "xgboost" : "xgboost-alone");
  }
  if (const Status loaded = made.booster_.Load(trees, wanted.count); !loaded)
    return Within(file, loaded.error());
  return made;
}

}  // namespace tessera::tune
