// SPDX-License-Identifier: Apache-2.0
#include "tools/tune_model.h"

#include <utility>

#include "base/file.h"

namespace tessera::tools {

Status CheckModelFiles(const TuneFlags& flags) {
  const char* const flag = !flags.load_model.empty()   ? "--load-model"
                           : !flags.save_model.empty() ? "--save-model"
                                                       : nullptr;
  if (flag == nullptr) return {};
  TESSERA_ASSIGN(const tune::ModelKind kind, tune::ModelNamed(flags.cost_model));
  if (!tune::Learns(kind)) {
    return Fail(Code::kInvalidArgument, "{}: model '{}' does not learn; give --model xgboost", flag,
                flags.cost_model);
  }
  if (!tune::HasXgboost()) {
    return Fail(Code::kUnsupported,
                "{}: this build is without libxgboost; install libxgboost-dev and configure again",
                flag);
  }
  return flags.save_model.empty() ? Status() : CheckWritable(flags.save_model);
}

Result<std::shared_ptr<const tune::SharedModel>> LoadModel(const TuneFlags& flags,
                                                           TuneTarget& target) {
  if (flags.load_model.empty()) return nullptr;
  TESSERA_ASSIGN(const tune::ModelKind kind, tune::ModelNamed(flags.cost_model));
  for (size_t k = 0; k < target.CountStages(); ++k) {
    for (const tune::Task& task : *target.StageAt(k).tasks) {
      const auto* space = dynamic_cast<const tune::LayerSpace*>(task.space.get());
      if (space == nullptr) continue;
      TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(flags.load_model));
      TESSERA_ASSIGN(
          tune::SharedModel model,
          tune::SharedModel::Parse(std::string(bytes.begin(), bytes.end()), flags.load_model,
                                   tune::SharedKindOf(space->target(), tune::KnowsEstimate(kind))));
      return std::make_shared<const tune::SharedModel>(std::move(model));
    }
  }
  return Fail(Code::kUnsupported,
              "{}: no layer has a choice about which the model of {} says something; leave "
              "--load-model out",
              flags.model, flags.load_model);
}

Result<std::string> SaveModel(const TuneFlags& flags, const std::vector<Found>& found,
                              const tune::SharedModel* loaded) {
  if (flags.save_model.empty()) return "";
  std::vector<tune::Lessons> lessons;
  for (const Found& stage : found) {
    for (tune::Lessons& task : stage.search.AllLessons()) lessons.push_back(std::move(task));
  }
  if (lessons.empty() && loaded == nullptr) {
    return Fail(Code::kUnavailable,
                "{}: no layer has a trial from which a model could learn; give the search more "
                "trials",
                flags.save_model);
  }
  const tune::SharedModel nothing(loaded != nullptr ? loaded->kind() : lessons[0].kind);
  const tune::SharedModel& before = loaded != nullptr ? *loaded : nothing;
  TESSERA_ASSIGN(const tune::SharedModel model, before.With(lessons, /*kept=*/true));
  TESSERA_ASSIGN(const std::string text, model.Print());
  TESSERA_TRY(WriteFile(flags.save_model, text));
  return fmt::format("{}: the model has learned from {} trials; --load-model uses it",
                     flags.save_model, Grouped(model.trials()));
}

}  // namespace tessera::tools
