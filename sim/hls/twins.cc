// SPDX-License-Identifier: Apache-2.0
//
// The twins of this build. The generated list has one line for each: TESSERA_HLS_TWIN(config).
#include "sim/hls/twin.h"

#define TESSERA_HLS_TWIN(config)                       \
  namespace hls_##config {                             \
    std::unique_ptr<tessera::sim::HlsTwin> MakeTwin(); \
    uint64_t TwinHash();                               \
  }
#include "hls_twins.inc"
#undef TESSERA_HLS_TWIN

namespace tessera::sim {

std::unique_ptr<HlsTwin> MakeHlsTwin(uint64_t config_hash) {
#define TESSERA_HLS_TWIN(config) \
  if (hls_##config::TwinHash() == config_hash) return hls_##config::MakeTwin();
#include "hls_twins.inc"
  return nullptr;
}

}  // namespace tessera::sim
