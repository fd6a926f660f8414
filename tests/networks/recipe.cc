// SPDX-License-Identifier: Apache-2.0
#include "tests/networks/recipe.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/number.h"
#include "compiler/graph/example.h"
#include "compiler/graph/op_def.h"

namespace tessera::networks {
namespace {

using Fields = std::vector<Field>;
constexpr int64_t kMostSeed = int64_t{1} << 62;

const std::array<FieldInfo, kFields> kInfo{{
    {"seed", 1, {0}, 0, kMostSeed},
    {"shape", 4, {1, 1, 1, 1}, 0, 4096},
    {"outs", 1, {1}, 1, 4096},
    {"groups", 1, {1}, 1, 4096},
    {"kernel", 2, {1, 1}, 0, 64},
    {"stride", 2, {1, 1}, 1, 64},
    {"dilation", 2, {1, 1}, 1, 64},
    {"pads", 4, {0, 0, 0, 0}, 0, 64},
    {"channels", 1, {0}, 0, 1},
    {"zero", 1, {0}, -128, 127},
    {"bounds", 2, {-128, 127}, -128, 127},
    {"axis", 1, {1}, 0, 3},
    {"nhwc", 1, {0}, 0, 1},
}};

struct KindInfo {
  std::string_view name;
  Operands operands;
  Fields fields;
};
// The blocks.
std::vector<KindInfo> Blocks() {
  using enum Field;
  return {
      {"input", {0, 0}, {kSeed, kShape, kZero, kNhwc}},
      {"conv",
       {1, 1},
       {kSeed, kOuts, kGroups, kKernel, kStride, kDilation, kPads, kChannels, kZero, kBounds,
        kNhwc}},
      {"depthwise",
       {1, 1},
       {kSeed, kOuts, kKernel, kStride, kDilation, kPads, kChannels, kZero, kBounds, kNhwc}},
      {"dense", {1, 1}, {kSeed, kOuts, kChannels, kZero, kBounds}},
      {"add", {2, 2}, {kSeed, kZero, kBounds, kNhwc}},
      {"sub", {2, 2}, {kSeed, kZero, kBounds, kNhwc}},
      {"mul", {2, 2}, {kSeed, kZero, kBounds, kNhwc}},
      {"avgpool", {1, 1}, {kKernel, kStride, kBounds, kNhwc}},
      {"maxpool", {1, 1}, {kKernel, kStride, kPads, kNhwc}},
      {"rescale", {1, 1}, {kSeed, kZero, kBounds, kNhwc}},
      {"flatten", {1, 1}, {}},
      {"unroll", {1, 1}, {kNhwc}},
      {"transpose", {1, 1}, {kNhwc}},
      {"pad", {1, 1}, {kPads, kNhwc}},
      {"concat", {2, 4}, {kSeed, kAxis, kNhwc}},
      {"slice", {1, 1}, {kOuts, kPads, kAxis, kNhwc}},
      {"resize", {1, 1}, {kKernel, kNhwc}},
      {"shift", {1, 1}, {kSeed, kZero, kBounds, kNhwc}},
      {"real", {1, 1}, {kSeed, kZero, kNhwc}},
      {"shuffle", {1, 1}, {kGroups, kNhwc}},
      {"widen", {1, 1}, {kPads, kNhwc}},
      {"pick", {1, 1}, {kSeed, kOuts, kNhwc}},
      {"attention", {1, 1}, {kSeed, kOuts, kGroups, kZero, kNhwc}},
  };
}

// Whether operator |op| takes an image or a row of quantised int8.
bool TakesScaled(graph::Op op) {
  const auto takes = [&](const graph::Shape& shape) {
    graph::Graph g;
    const auto input = [&] {
      g.inputs.push_back(g.AddTensor({.name = fmt::format("x{}", g.tensors.size()),
                                      .shape = shape,
                                      .quant = graph::Quant{{0.25}, {3}, -1}}));
      return g.inputs.back();
    };
    const graph::TensorId x = input();
    graph::Example example{.graph = g,
                           .draw = [](int64_t least, int64_t) { return least; },
                           .another = [&](bool) { return input(); },
                           .node = {.op = op, .name = "one", .inputs = {x}}};
    if (!graph::Complete(example, {{0.5}, {0}, -1})) return false;
    g.nodes.push_back(example.node);
    g.outputs = {example.node.output};
    return graph::Verify(g).has_value();
  };
  return takes({1, 8, 6, 6}) || takes({1, 8});
}

// The blocks, then the other operators; |ops|: those operators in order.
struct AllKinds {
  std::vector<KindInfo> rows = Blocks();
  std::vector<graph::Op> ops;
};
const AllKinds& All() {
  static const AllKinds all = [] {
    using enum Field;
    AllKinds made;
    for (size_t k = 0; k < graph::AllOps().size(); ++k) {
      const graph::OpDef& def = *graph::AllOps()[k];
      const bool block = std::ranges::count(made.rows, def.name, &KindInfo::name) > 0;
      if (block || !graph::Takes(def, DType::kInt8, DType::kInt8)) continue;
      if (!TakesScaled(static_cast<graph::Op>(k))) continue;
      made.rows.push_back({def.name, {def.least, def.least}, {kSeed, kZero, kBounds, kNhwc}});
      made.ops.push_back(static_cast<graph::Op>(k));
    }
    return made;
  }();
  return all;
}
const std::vector<KindInfo>& Kinds() { return All().rows; }
const KindInfo& RowOf(Kind kind) { return Kinds()[static_cast<size_t>(kind)]; }

std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

class Reader {
 public:
  explicit Reader(const std::string& place) : place_(place) {}

  Result<Recipe> Run(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      ++line_;
      words_ = WordsOf(text.substr(at, end - at));
      at = end + 1;
      next_ = 0;
      if (words_.empty() || words_[0].starts_with("#")) continue;
      TESSERA_TRY(Line());
    }
    if (!begun_) return Bad("no line 'network seed N'");
    if (recipe_.outputs.empty()) return Bad("no line 'output tN'");
    return recipe_;
  }

 private:
  template <typename... Args>
  std::unexpected<Error> Bad(fmt::format_string<Args...> format, Args&&... args) const {
    return Fail(Code::kInvalidArgument, "{}:{}: {}", place_, line_,
                fmt::format(format, std::forward<Args>(args)...));
  }
  // The next word, "" at the end of the line.
  std::string_view Take() { return next_ < words_.size() ? words_[next_++] : std::string_view(); }

  Status Line() {
    const std::string_view first = Take();
    if (!begun_) {
      const std::optional<int64_t> seed =
          first == "network" && Take() == "seed" ? NumberIn<int64_t>(Take()) : std::nullopt;
      if (!seed || *seed < 0 || next_ != words_.size())
        return Bad("the first line is 'network seed N'");
      recipe_.seed = static_cast<uint64_t>(*seed);
      begun_ = true;
      return {};
    }
    if (first == "output") {
      const std::optional<int> id = Made(Take());
      if (!id || next_ != words_.size()) return Bad("'output' takes the name of one earlier step");
      if (std::ranges::count(recipe_.outputs, *id) > 0) return Bad("t{} is an output twice", *id);
      recipe_.outputs.push_back(*id);
      return {};
    }
    if (first != fmt::format("t{}", recipe_.steps.size()) || Take() != "=")
      return Bad("'{}': 't{} =' or 'output' comes here", first, recipe_.steps.size());
    return StepLine();
  }

  Status StepLine() {
    const std::string_view name = Take();
    const auto row = std::ranges::find(Kinds(), name, &KindInfo::name);
    if (row == Kinds().end()) return Bad("'{}' is no operator", name);
    Step step(static_cast<Kind>(row - Kinds().begin()));
    while (next_ < words_.size()) {
      const std::optional<int> id = Made(words_[next_]);
      if (!id) break;
      ++next_;
      step.from.push_back(*id);
    }
    if (step.from.size() < row->operands.least || step.from.size() > row->operands.most) {
      return Bad("{} takes {} to {} earlier steps, has {}", name, row->operands.least,
                 row->operands.most, step.from.size());
    }
    Fields seen;
    while (next_ < words_.size()) {
      const std::string_view word = Take();
      const auto info = std::ranges::find(kInfo, word, &FieldInfo::name);
      const Field field = static_cast<Field>(info - kInfo.begin());
      if (info == kInfo.end() || !Has(step.kind, field))
        return Bad("{} has no field '{}'", name, word);
      if (std::ranges::count(seen, field) > 0) return Bad("field {} is there twice", word);
      seen.push_back(field);
      for (size_t k = 0; k < info->count; ++k) {
        const std::string_view value = Take();
        const std::optional<int64_t> number = NumberIn<int64_t>(value);
        if (!number || *number < info->least || *number > info->most) {
          return Bad("field {}: '{}' is not one of its {} numbers from {} to {}", word, value,
                     info->count, info->least, info->most);
        }
        step[field][k] = *number;
      }
    }
    recipe_.steps.push_back(std::move(step));
    return {};
  }

  // The index of the earlier step that |word| names.
  std::optional<int> Made(std::string_view word) const {
    if (!word.starts_with("t")) return std::nullopt;
    const std::optional<int64_t> id = NumberIn<int64_t>(word.substr(1));
    if (!id || *id < 0 || *id >= static_cast<int64_t>(recipe_.steps.size())) return std::nullopt;
    return static_cast<int>(*id);
  }

  const std::string& place_;
  int line_ = 0;
  bool begun_ = false;
  std::vector<std::string_view> words_;
  size_t next_ = 0;
  Recipe recipe_;
};

}  // namespace

Step::Step() {
  for (size_t f = 0; f < kFields; ++f) fields[f] = kInfo[f].usual;
}

size_t KindCount() { return Kinds().size(); }
graph::Op OpOf(Kind kind) { return All().ops.at(static_cast<size_t>(kind) - kBlocks); }

const FieldInfo& InfoOf(Field field) { return kInfo[static_cast<size_t>(field)]; }
std::string_view NameOf(Kind kind) { return RowOf(kind).name; }
Operands OperandsOf(Kind kind) { return RowOf(kind).operands; }
bool Has(Kind kind, Field field) { return std::ranges::count(RowOf(kind).fields, field) > 0; }

std::string Print(const Recipe& recipe) {
  std::string text = fmt::format("network seed {}\n", recipe.seed);
  for (size_t i = 0; i < recipe.steps.size(); ++i) {
    const Step& step = recipe.steps[i];
    text += fmt::format("t{} = {}", i, NameOf(step.kind));
    for (int id : step.from) text += fmt::format(" t{}", id);
    for (size_t f = 0; f < kFields; ++f) {
      const auto& values = step.fields[f];
      if (values == kInfo[f].usual) continue;
      text +=
          fmt::format(" {} {}", kInfo[f].name,
                      fmt::join(values.begin(),
                                values.begin() + static_cast<std::ptrdiff_t>(kInfo[f].count), " "));
    }
    text += "\n";
  }
  for (int id : recipe.outputs) text += fmt::format("output t{}\n", id);
  return text;
}

Result<Recipe> Parse(std::string_view text, const std::string& place) {
  return Reader(place).Run(text);
}

}  // namespace tessera::networks
