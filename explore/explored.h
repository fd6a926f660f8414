// SPDX-License-Identifier: Apache-2.0
//
// What a search knows: which machines fit the part, and what each stage said of those that it
// looked at. Depends on: explore/space.h, hw/predict. Used by: strategies, search.h, tools.
#ifndef TESSERA_EXPLORE_EXPLORED_H_
#define TESSERA_EXPLORE_EXPLORED_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "explore/machine.h"
#include "explore/space.h"

namespace tessera::explore {

// Legal machines that do not fit the part, for one resource.
struct MisfitCount {
  std::string resource;
  int64_t count = 0;
  Misfit least;  // of the machine that exceeds the part least
};

struct KnownMachine {
  isa::Config config;  // at its clock
  hw::Silicon area;
  Misfit misfit;  // without a resource: the machine fits
  std::optional<MachineCost> predicted, ran, tuned;
  bool proven = false;

  // Whether |stage| gave an answer that is no failure.
  const MachineCost* Answer(Stage stage) const;
};

class Explored {
 public:
  // |others| are looked at beside the machines of |space|; they are numbered from
  // space.CountAll() on. The first one is what a front is compared with.
  //   errors  kOutOfRange  no machine of |space| fits |part|: names the resource that most of them
  //                        lack, and how much the nearest one lacks
  //           those of hw::PredictSilicon
  static Result<Explored> Make(MachineSpace space, const std::vector<isa::Config>& others,
                               const hw::Part& part, std::vector<Goal> goals);

  const MachineSpace& space() const { return space_; }
  const hw::Part& part() const { return part_; }
  const std::vector<Goal>& goals() const { return goals_; }
  // The machines of the space that fit, in rising order.
  const std::vector<int64_t>& fitting() const { return fitting_; }
  bool Fits(int64_t machine) const;
  const std::vector<MisfitCount>& misfits() const { return misfits_; }
  // The numbers of the machines beside the space.
  const std::vector<int64_t>& others() const { return others_; }

  const KnownMachine& Of(int64_t machine) const { return machines_.at(machine); }
  // By number: all legal machines and the others.
  const std::map<int64_t, KnownMachine>& machines() const { return machines_; }
  bool Knows(int64_t machine, Stage stage) const;
  // kProve: with the cost of kRun.
  void Tell(int64_t machine, Stage stage, MachineCost cost);

  // The machines with an answer in |stage|, in rising order.
  std::vector<int64_t> With(Stage stage) const;
  // The goals' values of |machine| by its answer in |stage|, which there is.
  Values ValuesAt(int64_t machine, Stage stage) const;
  // The machines that ran and that no other one dominates, the smallest first value first.
  std::vector<int64_t> Front() const;
  // Where volumes end: the part's limits, and for times four times what the first of others() takes
  // or, without it, the slowest machine. Empty: nothing has run.
  Values Reference() const;
  // The volume of the front, as a share of the box from 0 to Reference(). 0: nothing has run.
  double Volume() const;
  // What a machine is for a model: log2 of its figures.
  std::vector<double> FeaturesOf(int64_t machine) const;

  // The share of the time or the runs that is spent, 0 to 1. The search sets it.
  double spent = 0;

 private:
  explicit Explored(MachineSpace space) : space_(std::move(space)) {}
  MachineSpace space_;
  hw::Part part_;
  std::vector<Goal> goals_;
  std::map<int64_t, KnownMachine> machines_;
  std::vector<int64_t> fitting_, others_;
  std::vector<MisfitCount> misfits_;
};

}  // namespace tessera::explore

#endif  // TESSERA_EXPLORE_EXPLORED_H_
