// SPDX-License-Identifier: Apache-2.0
//
// The primitives: what each step does to the stages of a schedule. Private to compiler/schedule.
#ifndef TESSERA_COMPILER_SCHEDULE_APPLY_H_
#define TESSERA_COMPILER_SCHEDULE_APPLY_H_

#include <string>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace tessera::schedule {

// A word that begins a step, and how many words may follow it.
struct Primitive {
  std::string name;
  size_t least, most;
  std::string usage;
  std::string refused = {};  // why it is refused whatever follows it, and what to do instead
};
const std::vector<Primitive>& Primitives();

class Applier {
 public:
  explicit Applier(Schedule* schedule) : s_(schedule) {}
  Status Apply(const Step& step);

 private:
  using Words = std::vector<std::string>;

  Status Decide(const Words& w);
  Status Split(const Words& w);
  Status Fuse(const Words& w);
  Status Reorder(const Words& w);
  Status Tile(const Words& w);
  Status ComputeAt(const Words& w);
  Status Inline(const Words& w);
  Status CacheRead(const Words& w);
  Status CacheWrite(const Words& w);
  Status SetScope(const Words& w);
  Status SetLayout(const Words& w);
  Status SetKind(const Words& w, ir::LoopKind kind);
  Status Tensorize(const Words& w);

  Result<Stage*> FindStage(const std::string& name);    // any, placeholders too
  Result<Stage*> FindCompute(const std::string& name);  // live compute stages
  Result<int> FindLeaf(const Stage& stage, const std::string& axis);
  Status NewAxisName(const Stage& stage, const std::string& name);
  Result<int64_t> Number(const std::string& word);  // digits or $decision

  Schedule* s_;
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_APPLY_H_
