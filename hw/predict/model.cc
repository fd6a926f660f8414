// SPDX-License-Identifier: Apache-2.0
#include "hw/predict/model.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "hw/predict/least_squares.h"

namespace tessera::hw {
namespace {

constexpr double kRidge = 1e-6;
// An error on a netlist of the family itself counts as so many on another family's.
constexpr double kOwnErrors = 10;

using TermMask = uint64_t;
static_assert(kTerms <= 64);

template <typename... Terms>
constexpr TermMask Of(Terms... terms) {
  return (TermMask{1} << kOne) | (TermMask{0} | ... | (TermMask{1} << terms));
}

struct ModuleLine {
  std::string_view instance;
  TermMask lut, ff;
};
struct UnitLine {
  std::string_view instance;
  TermMask ns;
};

constexpr ModuleLine kModules[] = {
#define MODULE(instance, lut, ff) {instance, lut, ff},
#include "hw/predict/modules.def"
};
constexpr UnitLine kUnits[] = {
#define UNIT(instance, ns) {instance, ns},
#include "hw/predict/modules.def"
};

// The line of |instance|: the longest that is it or an instance around it.
size_t ModuleOf(std::string_view instance) {
  size_t found = 0;
  for (size_t m = 0; m < std::size(kModules); ++m) {
    const std::string_view line = kModules[m].instance;
    const bool around =
        instance.starts_with(line) &&
        (line.empty() || instance.size() == line.size() || instance[line.size()] == '.');
    if (around && line.size() >= kModules[found].instance.size()) found = m;
  }
  return found;
}

// The factors of the terms in |mask|. An error counts by its share of |wholes|.
TermValues FitTerms(TermMask mask, const std::vector<TermValues>& terms,
                    const std::vector<double>& values, const std::vector<double>& wholes) {
  std::vector<Equation> equations;
  for (size_t row = 0; row < terms.size(); ++row) {
    Equation equation{.value = values[row], .weight = 1 / wholes[row]};
    for (int t = 0; t < kTerms; ++t) {
      if ((mask >> t & 1) != 0) equation.terms.push_back(terms[row][t]);
    }
    equations.push_back(std::move(equation));
  }
  const std::vector<double> fitted = FitFactors(equations, kRidge);
  TermValues factors{};
  size_t next = 0;
  for (int t = 0; t < kTerms && !fitted.empty(); ++t) {
    if ((mask >> t & 1) != 0) factors[t] = fitted[next++];
  }
  return factors;
}

using Rows = std::vector<const SynthesisedConfig*>;

Rows RowsOf(const std::vector<SynthesisedConfig>& rows, std::string_view family) {
  Rows found;
  for (const SynthesisedConfig& row : rows) {
    if (row.family == family) found.push_back(&row);
  }
  return found;
}

// A row of a family, and that of the same configuration in kBaseFamily.
using RowPair = std::pair<const SynthesisedConfig*, const SynthesisedConfig*>;

std::vector<RowPair> PairsOf(const std::vector<SynthesisedConfig>& rows, std::string_view family) {
  std::vector<RowPair> pairs;
  for (const SynthesisedConfig* row : RowsOf(rows, family)) {
    for (const SynthesisedConfig* base : RowsOf(rows, kBaseFamily)) {
      if (row->config == base->config) pairs.emplace_back(row, base);
    }
  }
  return pairs;
}

std::vector<TermValues> TermsOfRows(const Rows& rows) {
  std::vector<TermValues> terms;
  for (const SynthesisedConfig* row : rows) terms.push_back(TermsOf(row->config));
  return terms;
}

using ModuleAreas = std::array<RowArea, std::size(kModules)>;

ModuleAreas AreasOf(const SynthesisedConfig& row) {
  ModuleAreas areas;
  for (const auto& [instance, area] : row.areas) {
    RowArea& module = areas[ModuleOf(instance)];
    module.lut += area.lut;
    module.ff += area.ff;
  }
  return areas;
}

// By module: its size in a family as a share of that in kBaseFamily.
ModuleAreas SharesOf(const std::vector<RowPair>& pairs) {
  ModuleAreas of_family, of_base, shares;
  for (const auto& [row, base] : pairs) {
    const ModuleAreas more = AreasOf(*row), base_more = AreasOf(*base);
    for (size_t m = 0; m < shares.size(); ++m) {
      of_family[m].lut += more[m].lut;
      of_family[m].ff += more[m].ff;
      of_base[m].lut += base_more[m].lut;
      of_base[m].ff += base_more[m].ff;
    }
  }
  for (size_t m = 0; m < shares.size(); ++m) {
    shares[m].lut = of_base[m].lut > 0 ? of_family[m].lut / of_base[m].lut : 1;
    shares[m].ff = of_base[m].ff > 0 ? of_family[m].ff / of_base[m].ff : 1;
  }
  return shares;
}

}  // namespace

double SumOf(const TermValues& factors, const TermValues& terms) {
  return std::inner_product(factors.begin(), factors.end(), terms.begin(), 0.0);
}

double LongestOf(const ClockModel& model, const TermValues& terms) {
  double longest = 0;
  for (const TermValues& unit : model.units) longest = std::max(longest, SumOf(unit, terms));
  return longest;
}

AreaModel FitArea(const std::vector<SynthesisedConfig>& rows, const std::string& family) {
  const Rows base = RowsOf(rows, kBaseFamily);
  const std::vector<TermValues> terms = TermsOfRows(base);
  const ModuleAreas shares = SharesOf(PairsOf(rows, family));
  std::vector<ModuleAreas> areas;
  std::vector<double> luts, ffs;  // of the machines
  for (const SynthesisedConfig* row : base) {
    areas.push_back(AreasOf(*row));
    luts.push_back(row->lut);
    ffs.push_back(row->ff);
  }
  AreaModel model;
  for (size_t m = 0; m < std::size(kModules); ++m) {
    std::vector<double> lut, ff;
    for (const ModuleAreas& of_row : areas) {
      lut.push_back(of_row[m].lut);
      ff.push_back(of_row[m].ff);
    }
    const TermValues more_lut = FitTerms(kModules[m].lut, terms, lut, luts);
    const TermValues more_ff = FitTerms(kModules[m].ff, terms, ff, ffs);
    for (int t = 0; t < kTerms; ++t) {
      model.lut[t] += shares[m].lut * more_lut[t];
      model.ff[t] += shares[m].ff * more_ff[t];
    }
  }
  return model;
}

ClockModel FitClock(const std::vector<SynthesisedConfig>& rows, const std::string& family) {
  Rows timed = RowsOf(rows, family);
  const size_t own = timed.size();
  if (family != kBaseFamily) {
    const Rows base = RowsOf(rows, kBaseFamily);
    timed.insert(timed.end(), base.begin(), base.end());
  }
  const std::vector<TermValues> terms = TermsOfRows(timed);
  ClockModel model;
  for (const UnitLine& unit : kUnits) {
    std::vector<double> ns, wholes;
    for (const SynthesisedConfig* row : timed) {
      ns.push_back(row->ns.at(family).at(std::string(unit.instance)));
      wholes.push_back(ns.size() <= own ? ns.back() / kOwnErrors : ns.back());
    }
    model.units.push_back(FitTerms(unit.ns, terms, ns, wholes));
  }
  double is = 0, modelled = 0;
  for (const SynthesisedConfig* row : RowsOf(rows, family)) {
    is += LongestPath(*row);
    modelled += LongestOf(model, TermsOf(row->config));
  }
  for (TermValues& unit : model.units) {
    for (double& factor : unit) factor *= modelled > 0 ? is / modelled : 1;
  }
  return model;
}

}  // namespace tessera::hw
