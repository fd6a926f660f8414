// SPDX-License-Identifier: Apache-2.0
//
// A picture of how the best one of a search got better, drawn with cairo. Depends on: base, cairo.
// Used by: tune.cc, bench/search.
#ifndef TESSERA_TOOLS_CURVE_PICTURE_H_
#define TESSERA_TOOLS_CURVE_PICTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::tools {

// Pixels of the picture.
inline constexpr int kCurvesWidth = 900, kCurvesHeight = 540;

// The best so far after some trials, as a share of what the compiler chooses by itself.
struct CurvePoint {
  int64_t trials = 0;
  double share = 1;
};
struct Curve {
  std::string name;
  std::vector<CurvePoint> points;
};

// Checks that WriteCurves can begin, before long work. Leaves nothing behind.
//   errors  kInvalidArgument  |path| ends neither in .svg nor in .png
//           kUnavailable      as CheckWritable (base/file.h)
Status CheckCurves(const std::string& path);

// Draws |curves| to |path|, as SVG or PNG by its ending: trials, or what |axis| counts, to the
// right, per cent of the compiler's |unit| ("cycles") upwards. The file appears complete or not at
// all. Equal curves make equal pictures where cairo and the fonts are equal; SVG numbers its groups
// anew with each picture of a process.
//   errors  kInvalidArgument  |path| ends neither in .svg nor in .png; a name is not UTF-8
//           kUnavailable      as WriteFile (base/file.h); cairo has no memory
Status WriteCurves(const std::string& path, const std::vector<Curve>& curves,
                   const std::string& unit, const std::string& axis = "trials");

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_CURVE_PICTURE_H_
