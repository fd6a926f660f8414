// SPDX-License-Identifier: Apache-2.0
//
// A picture of how the best one of a search got better. Depends on: fmt. Used by: tune.cc,
// bench/search.cc.
#ifndef TESSERA_TOOLS_CURVE_SVG_H_
#define TESSERA_TOOLS_CURVE_SVG_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::tools {

// The best so far after some trials, as a share of what the compiler chooses by itself.
struct CurvePoint {
  int64_t trials = 0;
  double share = 1;
};
struct Curve {
  std::string name;
  std::vector<CurvePoint> points;
};

// |curves| as an SVG picture: trials to the right, per cent of the compiler's |unit| ("cycles")
// upwards.
std::string CurveSvg(const std::vector<Curve>& curves, const std::string& unit);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_CURVE_SVG_H_
