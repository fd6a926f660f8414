// SPDX-License-Identifier: Apache-2.0
//
// The stages of a schedule. Lists share equal stages, so a copy costs a pointer per stage, and a
// step copies only the stages that it changes. Depends on: stage.h. Used by: schedule.h, editor.h.
#ifndef TESSERA_COMPILER_SCHEDULE_STAGE_LIST_H_
#define TESSERA_COMPILER_SCHEDULE_STAGE_LIST_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "compiler/schedule/stage.h"

namespace tessera::schedule {

class StageList {
  using Shared = std::shared_ptr<Stage>;

 public:
  class Iterator {
   public:
    using value_type = Stage;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(const Shared* at) : at_(at) {}
    const Stage& operator*() const { return **at_; }
    const Stage* operator->() const { return at_->get(); }
    Iterator& operator++() { return ++at_, *this; }
    Iterator& operator--() { return --at_, *this; }
    Iterator operator++(int) { return Iterator(at_++); }
    Iterator operator--(int) { return Iterator(at_--); }
    bool operator==(const Iterator&) const = default;

   private:
    const Shared* at_ = nullptr;
  };

  size_t size() const { return stages_.size(); }
  const Stage& operator[](size_t i) const { return *stages_[i]; }
  Iterator begin() const { return Iterator(stages_.data()); }
  Iterator end() const { return Iterator(stages_.data() + stages_.size()); }

  // The index of |stage|, which must be in the list.
  size_t IndexOf(const Stage& stage) const {
    const auto at = std::ranges::find(stages_, &stage, &Shared::get);
    TESSERA_CHECK(at != stages_.end(), "{}", stage.name);
    return static_cast<size_t>(at - stages_.begin());
  }

  // Stage |i|, to be changed. If another list shares the stage, this list gets its own copy;
  // existing references to stage |i| then refer to the other list's.
  Stage& Edit(size_t i) {
    if (stages_[i].use_count() > 1) stages_[i] = std::make_shared<Stage>(*stages_[i]);
    changed_.push_back(stages_[i].get());
    return *stages_[i];
  }
  void Add(Stage stage) { Insert(stages_.size(), std::move(stage)); }
  void Insert(size_t before, Stage stage) {
    const auto at = stages_.insert(At(before), std::make_shared<Stage>(std::move(stage)));
    changed_.push_back(at->get());
  }
  // The stages that were added or edited since the last call of ForgetChanges.
  const std::vector<const Stage*>& changed() const { return changed_; }
  void ForgetChanges() { changed_.clear(); }
  // Moves the stages of [from, to) that |first| selects to the front; both parts keep their order.
  void Partition(size_t from, size_t to, const std::function<bool(const Stage&)>& first) {
    std::stable_partition(At(from), At(to), [&](const Shared& s) { return first(*s); });
  }

 private:
  std::vector<Shared>::iterator At(size_t i) {
    return stages_.begin() + static_cast<std::ptrdiff_t>(i);
  }

  std::vector<Shared> stages_;
  std::vector<const Stage*> changed_;
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_STAGE_LIST_H_
