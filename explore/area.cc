// SPDX-License-Identifier: Apache-2.0
#include "explore/area.h"

#include <algorithm>
#include <cmath>

namespace tessera::explore {

Result<PartLimits> PartNamed(const std::string& name) {
  static const PartLimits parts[] = {{"xc7z020", "xc7", 53200, 106400, 220, 280, 150},
                                     {"xczu3eg", "xcup", 70560, 141120, 360, 432, 300},
                                     {"xczu7ev", "xcup", 230400, 460800, 1728, 624, 300}};
  for (const PartLimits& part : parts) {
    if (part.name == name) return part;
  }
  return Fail(Code::kNotFound, "--part {}: there are xc7z020, xczu3eg, xczu7ev", name);
}

Result<MachineArea> AreaOf(const isa::Config& c, const std::string&) {
  const auto rams = [&](int64_t bytes, int64_t width_bits) {
    const double by_width = std::ceil(static_cast<double>(width_bits) / 36);
    return std::max(by_width, std::ceil(static_cast<double>(bytes) * 8 / 18432));
  };
  MachineArea a;
  const auto lanes = static_cast<double>(c.lanes());
  a.lut = 9000 + 780 * lanes + 35 * static_cast<double>(c.macs_per_cycle()) +
          20 * static_cast<double>(c.bus_bits) + 2 * static_cast<double>(c.prm_depth) * lanes / 2;
  a.ff = 8000 + 470 * lanes + 40 * static_cast<double>(c.macs_per_cycle());
  a.dsp = 5 * lanes + static_cast<double>(c.macs_per_cycle()) / 2 + 9;
  for (const auto& [bytes, tile] :
       {std::pair{c.wgt_bytes, c.wgt_tile_bytes()}, std::pair{c.inp_bytes, 4 * c.inp_tile_bytes()},
        std::pair{c.acc_bytes, 4 * c.acc_tile_bytes()},
        std::pair{c.out_bytes, 4 * c.out_tile_bytes()}, std::pair{c.uop_bytes, int64_t{8}}})
    a.bram18 += rams(bytes, tile * 8);
  a.ns = 6.2;
  return a;
}

}  // namespace tessera::explore
