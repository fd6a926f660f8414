// SPDX-License-Identifier: Apache-2.0
#include "sim/rig/coverage.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "isa/insns.h"
#include "sim/rig/program.h"

namespace tessera::rig {
namespace {

using isa::AnyInsn;
using isa::FieldKind;
using isa::ValuesKind;

// The number of a cell: instruction, combination, field, class. Field 0 counts the instruction.
constexpr uint32_t kClasses = 4, kFieldsMost = 32, kCombinations = 1024;
constexpr int kWidest = 5;  // most bits of an enumerated field in a combination

struct CellPlace {
  uint32_t insn = 0, combination = 0, field = 0, value_class = 0;
  uint32_t number() const {
    return ((insn * kCombinations + combination) * kFieldsMost + field) * kClasses + value_class;
  }
};

// The parts of a FIELD or VTA_FIELD row that coverage needs.
struct FieldView {
  std::string_view name;
  const isa::FieldValues* values;
  bool is_signed = false, flag = false;
  int64_t* value = nullptr;
  bool enumerated() const { return values->kind == ValuesKind::kEnum; }
  bool token() const { return name.starts_with("pop") || name.starts_with("push"); }
};

// Appends the fields of |v| to |fields|. Its rows are adjacent in |rows|, in the same order.
template <typename T, typename Rows>
void AddFields(T& v, const Rows& rows, std::vector<FieldView>& fields) {
  const auto* same = &*std::begin(rows);
  bool first = true;
  isa::ForEachField(v, [&](const auto& row, int64_t& value) {
    while (first && same->insn != row.insn) ++same;
    first = false;
    bool flag = false;
    if constexpr (std::is_same_v<decltype(same->width), int>) {
      flag = same->width == 1;
    } else {
      flag = same->width == "1";
    }
    fields.push_back({same->name, &same->values, same->kind == FieldKind::kSigned, flag, &value});
    ++same;
  });
}

std::vector<FieldView> FieldsOf(AnyInsn& insn) {
  std::vector<FieldView> fields;
  fields.reserve(kFieldsMost);
  if (isa::Insn* one = std::get_if<isa::Insn>(&insn)) {
    std::visit([&](auto& v) { AddFields(v, isa::kFields, fields); }, *one);
  } else {
    std::visit([&](auto& v) { AddFields(v, isa::kVtaFields, fields); },
               std::get<isa::VtaInsn>(insn));
  }
  return fields;
}

uint32_t IndexOf(const AnyInsn& insn) {
  if (const isa::Insn* one = std::get_if<isa::Insn>(&insn))
    return static_cast<uint32_t>(one->index());
  return static_cast<uint32_t>(std::variant_size_v<isa::Insn> +
                               std::get<isa::VtaInsn>(insn).index());
}

uint32_t CombinationOf(const std::vector<FieldView>& fields) {
  uint32_t combination = 0;
  for (const FieldView& f : fields) {
    if (f.enumerated() && !f.token())
      combination = combination << kWidest | static_cast<uint32_t>(*f.value);
  }
  return combination % kCombinations;
}

// The classes of values of a field: each has a name and a sample value.
struct ValueClass {
  std::string_view name;
  int64_t sample;
};
std::vector<ValueClass> ClassesOf(const FieldView& f) {
  if (f.flag) return {{"=0", 0}, {"=1", 1}};
  if (f.is_signed) return {{"=0", 0}, {">0", 1}, {"<0", -1}};
  return {{"=0", 0}, {"=1", 1}, {">1", 2}};
}
uint32_t ClassOf(const FieldView& f, int64_t value) {
  if (f.is_signed) return value == 0 ? 0 : value > 0 ? 1 : 2;
  return static_cast<uint32_t>(std::min<int64_t>(value, 2));
}

std::string NameOf(const AnyInsn& insn) {
  const std::string text = Describe(insn);
  const std::string word = text.substr(0, text.find(' '));
  return std::holds_alternative<isa::VtaInsn>(insn) ? "vta " + word : word;
}

// Every instruction of |profile|, with all fields 0.
template <size_t... I>
std::vector<AnyInsn> AllOf(std::index_sequence<I...>, isa::Profile profile) {
  if (profile == isa::Profile::kTessera) return {AnyInsn(isa::Insn(std::in_place_index<I>))...};
  return {};
}
template <size_t... I>
std::vector<AnyInsn> AllOfVta(std::index_sequence<I...>) {
  return {AnyInsn(isa::VtaInsn(std::in_place_index<I>))...};
}
std::vector<AnyInsn> Blank(isa::Profile profile) {
  if (profile == isa::Profile::kVta)
    return AllOfVta(std::make_index_sequence<std::variant_size_v<isa::VtaInsn>>());
  return AllOf(std::make_index_sequence<std::variant_size_v<isa::Insn>>(), profile);
}

bool Legal(const AnyInsn& insn, const isa::Config& config) {
  isa::Fetched fetched;
  return !isa::Route(insn, &fetched) && !isa::CheckFields(insn, config);
}

// Sets every field to its least value, except enumerated fields.
void Least(std::vector<FieldView>& fields, const isa::Config& config, isa::Profile profile) {
  for (FieldView& f : fields) {
    if (f.values->kind == ValuesKind::kRange && !f.enumerated())
      *f.value = std::max<int64_t>(0, f.values->least);
    if (f.values->kind != ValuesKind::kTileBytes) continue;
    isa::Memory memory = f.values->memory;
    for (const FieldView& of : fields) {
      if (of.name == f.values->field) memory = static_cast<isa::Memory>(*of.value);
    }
    *f.value = config.TileBytes(memory, profile);
  }
}

class Summing {
 public:
  Summing(const CellCounts& counts, const isa::Config& config, isa::Profile profile)
      : counts_(counts), config_(config), profile_(profile) {}

  InsnCoverage Of(AnyInsn insn) {
    sum_ = {.insn = NameOf(insn)};
    fields_ = FieldsOf(insn);
    insn_ = &insn;
    index_ = IndexOf(insn);
    const auto first = counts_.lower_bound(CellPlace{index_, 0, 0, 0}.number());
    const auto last = counts_.lower_bound(CellPlace{index_ + 1, 0, 0, 0}.number());
    for (auto cell = first; cell != last; ++cell) {
      if (cell->first / kClasses % kFieldsMost == 0) sum_.run += cell->second;
    }
    Combine(0, "");
    return sum_;
  }

 private:
  // Visits every combination of the enumerated fields from |from| on.
  void Combine(size_t from, const std::string& name) {
    while (from < fields_.size() && (!fields_[from].enumerated() || fields_[from].token())) ++from;
    if (from == fields_.size()) return Cells(name);
    for (int64_t value = 0; value < 32; ++value) {
      if ((fields_[from].values->mask >> value & 1) == 0) continue;
      *fields_[from].value = value;
      Combine(from + 1,
              fmt::format("{}{}={} ", name, fields_[from].name,
                          isa::EnumText(fields_[from].values->type, static_cast<int>(value))));
    }
  }

  void Cells(const std::string& name) {
    Least(fields_, config_, profile_);
    const uint32_t combination = CombinationOf(fields_);
    for (size_t f = 0; f < fields_.size(); ++f) {
      FieldView& field = fields_[f];
      if (field.enumerated() || field.token() || field.values->kind == ValuesKind::kTileBytes)
        continue;
      const std::vector<ValueClass> classes = ClassesOf(field);
      for (uint32_t c = 0; c < classes.size(); ++c) {
        const CellPlace place{index_, combination, static_cast<uint32_t>(f) + 1, c};
        const bool ran = counts_.contains(place.number());
        const int64_t was = std::exchange(*field.value, classes[c].sample);
        const bool legal = Legal(*insn_, config_);
        *field.value = was;
        if (!ran && !legal) continue;
        ++sum_.cells;
        sum_.reached += ran;
        if (!ran) sum_.missing.push_back(fmt::format("{}{}{}", name, field.name, classes[c].name));
      }
    }
  }

  const CellCounts& counts_;
  const isa::Config& config_;
  const isa::Profile profile_;
  InsnCoverage sum_;
  std::vector<FieldView> fields_;
  AnyInsn* insn_ = nullptr;
  uint32_t index_ = 0;
};

}  // namespace

void CountCells(const isa::ProgramImage& image, const isa::Config& config, CellCounts& counts) {
  for (isa::Fetched& fetched : FetchAll(image, config)) {
    const std::vector<FieldView> fields = FieldsOf(fetched.insn);
    const uint32_t insn = IndexOf(fetched.insn), combination = CombinationOf(fields);
    ++counts[CellPlace{insn, combination, 0, 0}.number()];
    for (size_t f = 0; f < fields.size(); ++f) {
      const FieldView& field = fields[f];
      if (field.enumerated() || field.token() || field.values->kind == ValuesKind::kTileBytes)
        continue;
      ++counts[CellPlace{insn, combination, static_cast<uint32_t>(f) + 1,
                         ClassOf(field, *field.value)}
                   .number()];
    }
  }
}

std::vector<InsnCoverage> SumCoverage(const CellCounts& counts, const isa::Config& config,
                                      const std::set<isa::Profile>& profiles) {
  std::vector<InsnCoverage> sums;
  for (const isa::Profile profile : {isa::Profile::kTessera, isa::Profile::kVta}) {
    if (!profiles.contains(profile)) continue;
    for (const AnyInsn& insn : Blank(profile))
      sums.push_back(Summing(counts, config, profile).Of(insn));
  }
  return sums;
}

}  // namespace tessera::rig
