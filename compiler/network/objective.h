// SPDX-License-Identifier: Apache-2.0
//
// The goals of placement, and the times that they weigh. Depends on: nothing. Used by:
// network/place.h, tools.
#ifndef TESSERA_COMPILER_NETWORK_OBJECTIVE_H_
#define TESSERA_COMPILER_NETWORK_OBJECTIVE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::network {

// Seconds of one inference of a network.
struct NetworkTimes {
  double host = 0, accelerator = 0, gpu = 0;  // of the layers there
  double start = 0, carry = 0;  // starts of the accelerator; packing and unpacking of tensors
  double link = 0;              // transfers between the host and the GPU
  double together = 0;          // in which both devices work on a layer that they share
  int64_t unknown = 0;          // layers without an estimate, which count 0
  double by_host() const { return host + start + carry; }  // the host packs, unpacks and starts
  double by_gpu() const { return gpu + link; }
  double total() const { return by_host() + accelerator + by_gpu() - together; }
};

// What a search makes small.
struct Objective {
  enum class Kind : uint8_t {
    kLatency,     // the time of one inference
    kThroughput,  // the time of the device that is busy longest, of a stream of inferences
    kEnergy,      // the joules of one inference
  };
  Kind kind = Kind::kLatency;
  double host_watts = 1, accelerator_watts = 1, gpu_watts = 1;  // of kEnergy: while one works

  // In seconds, or in joules. |host| has the starts, packing and unpacking, |gpu| the transfers;
  // what devices do at once counts for each.
  double Of(double host, double accelerator, double gpu = 0) const;
  double Of(const NetworkTimes& times) const;
  // Why a part is on |device|, "host" or "GPU", and not on the accelerator: "the host is faster".
  std::string WhyOn(std::string_view device) const;
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_OBJECTIVE_H_
