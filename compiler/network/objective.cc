// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/objective.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::network {

double Objective::Of(double host, double accelerator, double gpu) const {
  switch (kind) {
    case Kind::kLatency:
      return host + accelerator + gpu;
    case Kind::kThroughput:
      return std::max({host, accelerator, gpu});
    case Kind::kEnergy:
      return host * host_watts + accelerator * accelerator_watts + gpu * gpu_watts;
  }
  return 0;
}

double Objective::Of(const NetworkTimes& times) const {
  const double apart = Of(times.by_host(), times.accelerator, times.by_gpu());
  return kind == Kind::kLatency ? apart - times.together : apart;
}

std::string Objective::WhyOn(std::string_view device) const {
  switch (kind) {
    case Kind::kLatency:
      return fmt::format("the {} is faster", device);
    case Kind::kThroughput:
      return fmt::format("a stream is faster with it on the {}", device);
    case Kind::kEnergy:
      return fmt::format("the {} takes less energy", device);
  }
  return "";
}

}  // namespace tessera::network
