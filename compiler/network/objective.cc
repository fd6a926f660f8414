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
  const double apart = Of(times.by_host(), times.accelerator);
  return kind == Kind::kLatency ? apart - times.together : apart;
}

const char* Objective::WhyOnHost() const {
  switch (kind) {
    case Kind::kLatency:
      return "the host is faster";
    case Kind::kThroughput:
      return "a stream is faster with it on the host";
    case Kind::kEnergy:
      return "the host takes less energy";
  }
  return "";
}

}  // namespace tessera::network
