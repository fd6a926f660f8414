// SPDX-License-Identifier: Apache-2.0
//
// Parts and their resources: those of hw/parts.txt, which is inside the program, or a file of
// limits.
//
// Depends on: silicon.h. Used by: programs that ask whether a machine fits.
#ifndef TESSERA_HW_PREDICT_PARTS_H_
#define TESSERA_HW_PREDICT_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "hw/predict/silicon.h"

namespace tessera::hw {

struct Part {
  std::string name;
  std::string family;  // "xc7", "xcup" or "ecp5"
  std::string speed;   // grade, "-1"; empty: a file of limits need not say it
  int64_t lut = 0;     // of ECP5: LUTs of four inputs
  int64_t ff = 0;
  int64_t dsp = 0;     // of ECP5: multipliers
  int64_t bram18 = 0;  // halves of a BRAM36; of ECP5: blocks of 18 kbit
};

// The parts of hw/parts.txt, in its order.
const std::vector<Part>& KnownParts();

// A known part, or one that a file of limits describes: a JSON object with the keys name, family,
// lut, ff, dsp, bram36 and, if wanted, speed. bram36 may end in .5. |name_or_path| is a path if it
// contains '/' or ends in .json. So a share of a part can be a part.
//   errors  kNotFound         no such part (the message lists them) or file
//           kInvalidArgument  not a JSON object; a key that is missing, unknown or of another type;
//                             a family that no part has
//           kOutOfRange       a resource below 0 or above 10^9
Result<Part> LoadPart(const std::string& name_or_path);

// Whether |part| has the resources of |silicon|.
//   errors  kOutOfRange  the message names each resource that is short, and by how much
Status Fits(const Silicon& silicon, const Part& part);

}  // namespace tessera::hw

#endif  // TESSERA_HW_PREDICT_PARTS_H_
