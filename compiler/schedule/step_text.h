// SPDX-License-Identifier: Apache-2.0
//
// From the fields of a step to the words of a line, and back. Private to compiler/schedule.
#ifndef TESSERA_COMPILER_SCHEDULE_STEP_TEXT_H_
#define TESSERA_COMPILER_SCHEDULE_STEP_TEXT_H_

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/number.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/domain.h"
#include "compiler/schedule/step.h"
#include "compiler/schedule/step_fields.h"

namespace tessera::schedule::step_text {

using Words = std::vector<std::string>;

inline constexpr const char *kMost = "most", *kBefore = "before", *kKeep = "keep", *kPad = "pad",
                            *kOverlap = "overlap", *kOf = "of", *kRoom = "room";
// By DomainKind; a list is in braces.
inline constexpr const char* kDomains[] = {"{",      "factors", "tiles",     "places",
                                           "orders", "loops",   "intrinsics"};

inline bool HasWords(DomainKind kind) { return kind >= DomainKind::kPlaces; }
inline bool HasAxis(DomainKind kind) { return !HasWords(kind) || kind == DomainKind::kIntrinsics; }

inline std::string Text(const Amount& amount) {
  return amount.decision.empty() ? std::to_string(amount.value)
                                 : fmt::format("${}", amount.decision);
}

// Reads the fields of a step from the words of a line, in order. |error_| says what is wrong with
// the first wrong word. |short_|: the line has too few words.
class Reader {
 public:
  explicit Reader(const Words& words) : words_(words) {}

  void operator()(std::string& field) {
    if (const std::string* word = Next()) field = *word;
  }
  void operator()(std::vector<std::string>& field) {
    do {
      if (const std::string* word = Next()) field.push_back(*word);
    } while (!short_ && at_ < words_.size());
  }
  void operator()(AxisChoice& field) {
    while (at_ < words_.size()) field.names.push_back(words_[at_++]);
  }
  void operator()(int64_t& field) {
    if (const std::string* word = Next()) Number(*word, field);
  }
  void operator()(std::optional<int64_t>& field) {
    if (at_ < words_.size()) Number(words_[at_++], field.emplace());
  }
  void operator()(std::optional<DType>& field) {
    if (at_ == words_.size()) return;
    field = ir::DTypeFromName(words_[at_++]);
    if (!field) Refuse("no type '{}'; write i32", words_[at_ - 1]);
  }
  void operator()(Amount& field) {
    const std::string* word = Next();
    if (word == nullptr) return;
    Result<Amount> amount = ParseAmount(*word);
    if (amount) {
      field = *std::move(amount);
    } else {
      Refuse("{}", amount.error().message);
    }
  }
  // The domain before the value says whether the value is words or a number.
  void operator()(Choice& field) {
    if (HasWords(domain_)) {
      (*this)(field.words);
    } else if (const std::string* word = Next()) {
      Number(*word, field.number);
    }
  }
  void operator()(LoopPlace& field) {
    const std::string* word = Next();
    if (word == nullptr) return;
    if (word->starts_with('$')) {
      field.decision = word->substr(1);
    } else if (*word != kRootPlace || (at_ < words_.size() && words_[at_] != kBefore)) {
      field.stage = *word;
      (*this)(field.axis);
    }
  }
  void operator()(Domain& field) {
    const std::string* word = Next();
    if (word == nullptr) return;
    for (size_t k = 1; k < std::size(kDomains); ++k) {
      if (*word != kDomains[k]) continue;
      domain_ = field.kind = static_cast<DomainKind>(k);
      (*this)(field.stage);
      if (HasAxis(domain_)) (*this)(field.axis);
      if (HasWords(domain_)) return;
      if (at_ < words_.size() && words_[at_] == kMost) {
        ++at_;
        (*this)(field.most.emplace());
      }
      while (at_ < words_.size() && words_[at_] == kRoom) {
        ++at_;
        (*this)(field.room.emplace_back());
      }
      return;
    }
    if (!word->starts_with('{')) {
      return Refuse(
          "'{}': a domain is {{1 2 4}} in braces, or factors or tiles of a loop with, perhaps, {} "
          "N and {} MEMORY BUFFERS, or places, orders or loops of a stage, or intrinsics of a "
          "loop",
          *word, kMost, kRoom);
    }
    std::string text = word->substr(1);
    for (;;) {
      const bool last = text.ends_with('}');
      if (last) text.pop_back();
      if (text.empty()) return Refuse("a domain holds at least one number");
      Number(text, field.values.emplace_back());
      if (last || !error_.empty()) return;
      word = Next();
      if (word == nullptr) return;
      text = *word;
    }
  }
  void operator()(Successor& field) {
    if (at_ == words_.size()) return;
    if (words_[at_++] != kBefore)
      Refuse("'{}': only '{} OTHER' may follow", words_[at_ - 1], kBefore);
    (*this)(field.stage);
  }
  void operator()(LoopName& field) {
    if (at_ == words_.size()) return;
    if (words_[at_++] != kOf)
      return Refuse("'{}': only '{} OUTER LOOP' may follow", words_[at_ - 1], kOf);
    (*this)(field.stage);
    (*this)(field.axis);
  }
  void operator()(KeptDims& field) {
    if (at_ == words_.size() || words_[at_] != kKeep) return;
    ++at_;
    const std::string* word = Next();
    if (word == nullptr) return;
    std::stringstream parts(*word);
    for (std::string part; std::getline(parts, part, ',');) Number(part, field.dims.emplace_back());
  }
  void operator()(RoomNeed& field) {
    (*this)(field.memory);
    const std::string* word = Next();
    if (word == nullptr) return;
    const Status parsed = ParseBuffers(*word, &field);
    if (!parsed) Refuse("{}", parsed.error().message);
  }
  void operator()(ir::Scope& field) {
    if (const std::string* word = Next()) Memory(*word, field);
  }
  void operator()(ir::LoopKind& field) {
    const std::string* word = Next();
    if (word == nullptr) return;
    std::string all;
    for (int i = 0; i < ir::kLoopKinds; ++i) {
      field = static_cast<ir::LoopKind>(i);
      if (!IsGrid(field) && !IsThread(field)) continue;
      if (*word == ir::LoopKindName(field)) return;
      all += fmt::format(" {}", ir::LoopKindName(field));
    }
    Refuse("'{}' is nothing to bind to; there are{}", *word, all);
  }
  void operator()(Tail& field) {
    if (at_ == words_.size()) return;
    field = words_[at_] == kOverlap ? Tail::kOverlap : Tail::kPad;
    const std::string& word = words_[at_++];
    if (word != kPad && word != kOverlap)
      Refuse("'{}': only '{}' or '{}' may follow", word, kPad, kOverlap);
  }

  bool complete() const { return !short_ && at_ == words_.size(); }
  const std::string& error() const { return error_; }

 private:
  const std::string* Next() {
    short_ = short_ || at_ == words_.size();
    return short_ ? nullptr : &words_[at_++];
  }
  void Memory(const std::string& word, ir::Scope& field) {
    std::string all;
    for (int i = 0; i < ir::kScopes; ++i) {
      field = static_cast<ir::Scope>(i);
      if (word == ir::ScopeName(field)) return;
      all += fmt::format(" {}", ir::ScopeName(field));
    }
    Refuse("no scope '{}'; there are{}", word, all);
  }
  void Number(const std::string& word, int64_t& field) {
    const auto number = NumberIn<int64_t>(word);
    if (!number) Refuse("'{}' is no number", word);
    field = number.value_or(field);
  }
  template <typename... Args>
  void Refuse(fmt::format_string<Args...> format, Args&&... args) {
    if (error_.empty()) error_ = fmt::format(format, std::forward<Args>(args)...);
  }

  const Words& words_;
  size_t at_ = 0;
  bool short_ = false;
  DomainKind domain_ = DomainKind::kList;
  std::string error_;
};

// Writes a step's fields as words.
class Writer {
 public:
  explicit Writer(std::string name) : text_(std::move(name)) {}
  void operator()(const std::string& field) { text_ += " " + field; }
  void operator()(const std::vector<std::string>& field) {
    text_ += fmt::format(" {}", fmt::join(field, " "));
  }
  void operator()(const AxisChoice& field) {
    if (!field.names.empty()) (*this)(field.names);
  }
  void operator()(int64_t field) { text_ += fmt::format(" {}", field); }
  void operator()(const std::optional<int64_t>& field) {
    if (field) (*this)(*field);
  }
  void operator()(const std::optional<DType>& field) {
    if (field) (*this)(std::string(ir::DTypeName(*field)));
  }
  void operator()(const Amount& field) { text_ += fmt::format(" {}", Text(field)); }
  void operator()(const Choice& field) { text_ += fmt::format(" {}", Print(field)); }
  void operator()(const LoopPlace& field) {
    if (!field.decision.empty()) {
      text_ += fmt::format(" ${}", field.decision);
    } else {
      text_ += field.stage.empty() ? fmt::format(" {}", kRootPlace)
                                   : fmt::format(" {} {}", field.stage, field.axis);
    }
  }
  void operator()(const LoopName& field) {
    if (!field.stage.empty()) text_ += fmt::format(" {} {} {}", kOf, field.stage, field.axis);
  }
  void operator()(const Domain& field) {
    if (field.kind == DomainKind::kList) {
      text_ += fmt::format(" {{{}}}", fmt::join(field.values, " "));
      return;
    }
    text_ += fmt::format(" {} {}", kDomains[static_cast<size_t>(field.kind)], field.stage);
    if (HasAxis(field.kind)) (*this)(field.axis);
    if (field.most) text_ += fmt::format(" {} {}", kMost, Text(*field.most));
    for (const RoomNeed& need : field.room) text_ += fmt::format(" {} {}", kRoom, Print(need));
  }
  void operator()(const Successor& field) {
    if (!field.stage.empty()) text_ += fmt::format(" {} {}", kBefore, field.stage);
  }
  void operator()(const KeptDims& field) {
    if (!field.dims.empty()) text_ += fmt::format(" {} {}", kKeep, fmt::join(field.dims, ","));
  }
  void operator()(ir::Scope field) { text_ += fmt::format(" {}", ir::ScopeName(field)); }
  void operator()(ir::LoopKind field) { text_ += fmt::format(" {}", ir::LoopKindName(field)); }
  void operator()(Tail field) {
    if (field != Tail::kGuard) (*this)(field == Tail::kPad ? kPad : kOverlap);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <typename Visitor>
void VisitFields(auto& step, Visitor& visitor) {
  std::apply([&](auto&... fields) { (visitor(fields), ...); }, step.Fields(step));
}

}  // namespace tessera::schedule::step_text

#endif  // TESSERA_COMPILER_SCHEDULE_STEP_TEXT_H_
