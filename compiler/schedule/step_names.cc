// SPDX-License-Identifier: Apache-2.0
//
// Finds names in the words of steps.
#include <algorithm>

#include "compiler/schedule/step.h"

namespace tessera::schedule {
namespace {

// Looks for one name in the fields of a step.
class Finder {
 public:
  explicit Finder(const std::string& name) : name_(name) {}

  bool found() const { return found_; }
  void operator()(const std::string& field) { found_ |= field == name_; }
  void operator()(const std::vector<std::string>& field) {
    found_ |= std::ranges::count(field, name_) > 0;
  }
  void operator()(const AxisChoice& field) { (*this)(field.names); }
  void operator()(const Choice& field) { (*this)(field.words); }
  void operator()(const Successor& field) { (*this)(field.stage); }
  void operator()(const LoopName& field) {
    (*this)(field.stage);
    (*this)(field.axis);
  }
  void operator()(const LoopPlace& field) {
    (*this)(field.stage);
    (*this)(field.axis);
  }
  void operator()(const Domain& field) {
    (*this)(field.stage);
    (*this)(field.axis);
  }
  void operator()(const auto&) {}  // no names

 private:
  const std::string& name_;
  bool found_ = false;
};

}  // namespace

bool Names(const Trace& trace, const std::string& name) {
  Finder finder(name);
  for (const Step& step : trace) {
    const auto look = [&](const auto& s) {
      std::apply([&](const auto&... fields) { (finder(fields), ...); }, s.Fields(s));
    };
    std::visit(look, step);
  }
  return finder.found();
}

}  // namespace tessera::schedule
