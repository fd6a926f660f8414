// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/objective.h"

#include <algorithm>

namespace tessera::network {

double Objective::Of(double host, double accelerator) const {
  switch (kind) {
    case Kind::kLatency:
      return host + accelerator;
    case Kind::kThroughput:
      return std::max(host, accelerator);
    case Kind::kEnergy:
      return host * host_watts + accelerator * accelerator_watts;
  }
  return 0;
}

double Objective::Of(const NetworkTimes& times) const {
  return Of(times.host + times.start + times.carry, times.accelerator);
}

}  // namespace tessera::network
