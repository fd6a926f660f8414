// SPDX-License-Identifier: Apache-2.0
#include "explore/explored.h"

#include <algorithm>
#include <cmath>

namespace tessera::explore {
namespace {

// A time that is this many times that of the first other machine counts nothing in a volume.
constexpr double kSlowest = 4;

bool IsTime(Goal goal) { return goal == Goal::kMs || goal == Goal::kEnergyProxy; }

Result<KnownMachine> MachineOf(const isa::Config& config, const hw::Part& part) {
  KnownMachine machine{.config = config};
  TESSERA_ASSIGN(machine.area, hw::PredictSilicon(config, part.family));
  machine.misfit = MisfitOf(machine.area, part);
  machine.config.clock_mhz = ClockOf(machine.area, config.clock_mhz);
  return machine;
}

void Count(const Misfit& misfit, std::vector<MisfitCount>* counts) {
  auto at = std::ranges::find(*counts, misfit.resource, &MisfitCount::resource);
  if (at == counts->end()) at = counts->insert(at, {std::string(misfit.resource), 0, misfit});
  ++at->count;
  if (misfit.used < at->least.used) at->least = misfit;
}

}  // namespace

const MachineCost* KnownMachine::Answer(Stage stage) const {
  const std::optional<MachineCost>& cost = stage == Stage::kPredict ? predicted
                                           : stage == Stage::kTune  ? tuned
                                                                    : ran;
  return cost && cost->cause.empty() && (stage != Stage::kProve || proven) ? &*cost : nullptr;
}

Result<Explored> Explored::Make(MachineSpace space, const std::vector<isa::Config>& others,
                                const hw::Part& part, std::vector<Goal> goals) {
  Explored made(std::move(space));
  made.part_ = part;
  made.goals_ = std::move(goals);
  for (const int64_t number : made.space_.legal()) {
    TESSERA_ASSIGN(KnownMachine machine, MachineOf(made.space_.ConfigOf(number), part));
    if (machine.misfit.resource.empty()) {
      made.fitting_.push_back(number);
    } else {
      Count(machine.misfit, &made.misfits_);
    }
    made.machines_.emplace_hint(made.machines_.end(), number, std::move(machine));
  }
  if (made.fitting_.empty()) {
    const MisfitCount& most = *std::ranges::max_element(made.misfits_, {}, &MisfitCount::count);
    return Fail(Code::kOutOfRange,
                "part {} is too small for each of {} legal machines; {} of them have too many {}, "
                "the smallest of these {}; sweep smaller values or give a larger --part",
                part.name, made.space_.legal().size(), most.count, most.resource,
                MisfitText(most.least));
  }
  for (const isa::Config& config : others) {
    TESSERA_ASSIGN(KnownMachine machine, MachineOf(config, part));
    made.others_.push_back(made.space_.CountAll() + std::ssize(made.others_));
    made.machines_.emplace(made.others_.back(), std::move(machine));
  }
  return made;
}

bool Explored::Fits(int64_t machine) const { return std::ranges::binary_search(fitting_, machine); }

bool Explored::Knows(int64_t machine, Stage stage) const {
  const KnownMachine& known = machines_.at(machine);
  return stage == Stage::kPredict ? known.predicted.has_value() : known.ran.has_value();
}

void Explored::Tell(int64_t machine, Stage stage, MachineCost cost) {
  KnownMachine& known = machines_.at(machine);
  (stage == Stage::kPredict ? known.predicted
   : stage == Stage::kTune  ? known.tuned
                            : known.ran) = std::move(cost);
  known.proven = known.proven || stage == Stage::kProve;
}

std::vector<int64_t> Explored::With(Stage stage) const {
  std::vector<int64_t> with;
  for (const auto& [number, machine] : machines_) {
    if (machine.misfit.resource.empty() && machine.Answer(stage) != nullptr) with.push_back(number);
  }
  return with;
}

Values Explored::ValuesAt(int64_t machine, Stage stage) const {
  const KnownMachine& known = machines_.at(machine);
  return ValuesOf(goals_, known.area, *known.Answer(stage));
}

std::vector<int64_t> Explored::Front() const {
  const std::vector<int64_t> ran = With(Stage::kRun);
  std::vector<Values> values;
  for (const int64_t number : ran) values.push_back(ValuesAt(number, Stage::kRun));
  std::vector<size_t> order = FrontOf(values);
  std::ranges::stable_sort(order, {}, [&](size_t k) { return values[k]; });
  std::vector<int64_t> front;
  for (const size_t k : order) front.push_back(ran[k]);
  return front;
}

Values Explored::Reference() const {
  const std::vector<int64_t> ran = With(Stage::kRun);
  if (ran.empty()) return {};
  const KnownMachine* first = others_.empty() ? nullptr : &machines_.at(others_[0]);
  if (first != nullptr && first->Answer(Stage::kRun) == nullptr) first = nullptr;
  Values reference;
  for (size_t k = 0; k < goals_.size(); ++k) {
    switch (goals_[k]) {
      case Goal::kLut:
        reference.push_back(static_cast<double>(part_.lut));
        break;
      case Goal::kFf:
        reference.push_back(static_cast<double>(part_.ff));
        break;
      case Goal::kDsp:
        reference.push_back(static_cast<double>(part_.dsp));
        break;
      case Goal::kBram:
        reference.push_back(static_cast<double>(part_.bram18));
        break;
      default: {
        double most = 0;
        for (const int64_t number : ran) most = std::max(most, ValuesAt(number, Stage::kRun)[k]);
        if (first != nullptr && IsTime(goals_[k]))
          most = kSlowest * ValuesOf(goals_, first->area, *first->Answer(Stage::kRun))[k];
        reference.push_back(most);
      }
    }
  }
  return reference;
}

double Explored::Volume() const {
  const Values reference = Reference();
  if (reference.empty()) return 0;
  std::vector<Values> values;
  for (const int64_t number : Front()) values.push_back(ValuesAt(number, Stage::kRun));
  double box = 1;
  for (const double side : reference) box *= side;
  return box > 0 ? Hypervolume(values, reference) / box : 0;
}

std::vector<double> Explored::FeaturesOf(int64_t machine) const {
  std::vector<double> features;
  const isa::Config& config = machines_.at(machine).config;
  for (const isa::ConfigKey& key : isa::ConfigKeys())
    features.push_back(std::log2(static_cast<double>(config.*(key.field))));
  return features;
}

}  // namespace tessera::explore
