// SPDX-License-Identifier: Apache-2.0
#include "hw/netlist/fit.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::netlist {
namespace {

constexpr int kTerms = 4;
constexpr int kRounds = 40;
using Vector = std::array<double, kTerms>;

Vector AsVector(const WireTerms& terms) {
  return {terms.wires, terms.doublings, terms.span, terms.columns};
}
WireDelays AsDelays(const Vector& x) {
  return {.wires = x[0], .doublings = x[1], .span = x[2], .columns = x[3]};
}

// One equation: cells + terms * delays = ns, divided by ns.
struct Equation {
  Vector terms;
  double rest;
};

// Gauss-Jordan over the unknowns of |free|; false: they are not independent.
bool Solve(const std::vector<Equation>& equations, unsigned free, Vector& x) {
  std::array<std::array<double, kTerms + 1>, kTerms> rows{};
  for (int i = 0; i < kTerms; ++i) {
    for (const Equation& equation : equations) {
      for (int j = 0; j < kTerms; ++j) rows[i][j] += equation.terms[i] * equation.terms[j];
      rows[i][kTerms] += equation.terms[i] * equation.rest;
    }
    if ((free >> i & 1) == 0) {
      rows[i] = {};
      rows[i][i] = 1;
    }
  }
  for (int i = 0; i < kTerms; ++i) {
    for (int j = 0; j < kTerms; ++j) {
      if ((free >> j & 1) == 0 && i != j) rows[i][j] = 0;
    }
  }
  for (int i = 0; i < kTerms; ++i) {
    if (rows[i][i] < 1e-12) return false;
    for (int j = 0; j < kTerms; ++j) {
      if (j == i) continue;
      const double factor = rows[j][i] / rows[i][i];
      for (int k = i; k <= kTerms; ++k) rows[j][k] -= factor * rows[i][k];
    }
  }
  for (int i = 0; i < kTerms; ++i) x[i] = rows[i][kTerms] / rows[i][i];
  return true;
}

// The delays, none below 0, with the least sum of squares: the best of those with some of them 0.
Vector LeastSquares(const std::vector<Equation>& equations, const Vector& otherwise) {
  Vector best = otherwise;
  double least = HUGE_VAL;
  for (unsigned free = 1; free < 1U << kTerms; ++free) {
    Vector x;
    if (!Solve(equations, free, x) || *std::ranges::min_element(x) < 0) continue;
    double sum = 0;
    for (const Equation& equation : equations) {
      double error = -equation.rest;
      for (int i = 0; i < kTerms; ++i) error += equation.terms[i] * x[i];
      sum += error * error;
    }
    if (sum < least) {
      least = sum;
      best = x;
    }
  }
  return best;
}

class Fit {
 public:
  explicit Fit(const std::vector<RoutedDesign>& designs)
      : designs_(designs), paths_(designs.size()) {}

  // The longest path of |design| with |delays|; the fit knows it from now on.
  double Longest(size_t design, const WireDelays& delays) {
    const PathSum path = designs_[design].estimate.Find(delays);
    const double ns = Ns(path, delays);
    if (ns > Ns(Known(design, delays), delays) + 1e-9) paths_[design].push_back(path);
    return ns;
  }
  // Fitted to all designs but |left_out|.
  WireDelays Run(size_t left_out, WireDelays delays) {
    WireDelays best = delays;
    double least = HUGE_VAL;
    for (int round = 0; round < kRounds; ++round) {
      double sum = 0;
      std::vector<Equation> equations;
      for (size_t d = 0; d < designs_.size(); ++d) {
        if (d == left_out) continue;
        const double ns = designs_[d].ns;
        sum += std::pow(Longest(d, delays) / ns - 1, 2);
        const PathSum path = Known(d, delays);
        Equation equation{AsVector(path.terms), 1 - path.cells / ns};
        for (double& term : equation.terms) term /= ns;
        equations.push_back(equation);
      }
      if (sum < least) {
        least = sum;
        best = delays;
      }
      // Half way: with the whole way two paths may take turns for ever.
      const Vector now = AsVector(delays);
      Vector next = LeastSquares(equations, now);
      for (int i = 0; i < kTerms; ++i) next[i] = (next[i] + now[i]) / 2;
      delays = AsDelays(next);
    }
    return best;
  }

 private:
  static double Ns(const PathSum& path, const WireDelays& delays) {
    return path.cells + Delay(path.terms, delays);
  }
  PathSum Known(size_t design, const WireDelays& delays) const {
    PathSum longest;
    for (const PathSum& path : paths_[design]) {
      if (Ns(path, delays) > Ns(longest, delays)) longest = path;
    }
    return longest;
  }

  const std::vector<RoutedDesign>& designs_;
  std::vector<std::vector<PathSum>> paths_;
};

// Median and largest of the sizes of relative errors, in per cent.
std::string Summary(const std::vector<RoutedDesign>& designs,
                    const std::vector<double>& estimates) {
  std::vector<double> sizes;
  for (size_t d = 0; d < designs.size(); ++d) {
    sizes.push_back(std::abs(100 * (designs[d].ns / estimates[d] - 1)));
  }
  std::ranges::sort(sizes);
  const size_t n = sizes.size();
  return fmt::format("{:.0f} {:.0f}", (sizes[(n - 1) / 2] + sizes[n / 2]) / 2, sizes[n - 1]);
}

}  // namespace

Result<WireFit> FitWires(const std::vector<RoutedDesign>& designs, const WireDelays& start) {
  if (designs.size() <= kTerms) {
    return Fail(Code::kInvalidArgument,
                "{} routed designs are too few for {} delays, each design left out once: give {}",
                designs.size(), kTerms, kTerms + 1);
  }
  Fit fit(designs);
  WireFit result{.wire = fit.Run(designs.size(), start), .seen = {}, .unseen = {}};
  for (size_t d = 0; d < designs.size(); ++d) {
    result.seen.push_back(fit.Longest(d, result.wire));
    result.unseen.push_back(fit.Longest(d, fit.Run(d, result.wire)));
  }
  return result;
}

std::string PrintFit(const std::vector<RoutedDesign>& designs, const WireFit& fit) {
  std::string text =
      fmt::format("{:<36}{:>9}{:>10}{:>12}\n", "MHz", "routed", "fitted", "left out");
  for (size_t d = 0; d < designs.size(); ++d) {
    const double ns = designs[d].ns;
    text +=
        fmt::format("{:<36}{:>9.1f}{:>10.1f} {:>+4.0f} %{:>9.1f} {:>+4.0f} %\n", designs[d].name,
                    1000 / ns, 1000 / fit.seen[d], 100 * (ns / fit.seen[d] - 1),
                    1000 / fit.unseen[d], 100 * (ns / fit.unseen[d] - 1));
  }
  text += fmt::format(
      "wires: {:.3f} + {:.3f} log2(fan-out) + {:.5f} span + {:.5f} span to a column, ns\n",
      fit.wire.wires, fit.wire.doublings, fit.wire.span, fit.wire.columns);
  text += fmt::format("error {} {} {}\n", designs.size(), Summary(designs, fit.seen),
                      Summary(designs, fit.unseen));
  return text;
}

}  // namespace tessera::netlist
