// SPDX-License-Identifier: Apache-2.0
//
// The tops and scratchpads of one configuration. C++14, as the tops are.
#include "sim/hls/twin.h"

#include <cstring>
#include <vector>

#include "tsr_hls.h"

TSR_HLS_OPEN

using tessera::sim::HlsLaunch;
using tessera::sim::HlsQueues;
using tessera::sim::HlsTwin;

namespace {

// The tiles of one scratchpad, zero at first.
template <typename Tile>
class Scratchpad {
 public:
  explicit Scratchpad(int depth) : depth_(depth), tiles_(new Tile[depth]) { Clear(); }
  void Clear() { std::memset(static_cast<void*>(tiles_.get()), 0, sizeof(Tile) * depth_); }
  Tile* get() { return tiles_.get(); }

 private:
  size_t depth_;
  std::unique_ptr<Tile[]> tiles_;
};

class Twin : public HlsTwin {
 public:
  void Clear() override {
    uop_.Clear();
    wgt_.Clear();
    inp_.Clear();
    acc_.Clear();
    out_.Clear();
    bias_.Clear();
    multiplier_.Clear();
    shift_.Clear();
    tab_.Clear();
  }

  void RunTop(int top, const HlsLaunch& run, HlsQueues& q, tsr_report* report) override {
    bus_word* gmem = reinterpret_cast<bus_word*>(run.memory);
    const ap_uint<1> vta = run.vta ? 1 : 0;
    const auto& c = q.commands;
    const auto& p = q.command_places;
    const auto& t = q.tokens;
    const auto& f = q.token_places;
    constexpr int kL = kUnitLoad, kG = kUnitGemm, kV = kUnitVector, kS = kUnitStore;
    switch (top) {
      case tessera::sim::kHlsFetch:
        return tsr_hls_fetch(gmem, run.insn_addr, run.insn_count, vta, *c[kL], *p[kL], *c[kG],
                             *p[kG], *c[kV], *p[kV], *c[kS], *p[kS], report);
      case 1 + kUnitLoad:
        return tsr_hls_load(gmem, &run.map, vta, *c[kL], *p[kL], *t[kG][kL], *f[kG][kL], *t[kV][kL],
                            *f[kV][kL], *t[kS][kL], *f[kS][kL], *t[kL][kG], *f[kL][kG], *t[kL][kV],
                            *f[kL][kV], *t[kL][kS], *f[kL][kS], uop_.get(), wgt_.get(), inp_.get(),
                            acc_.get(), out_.get(), bias_.get(), multiplier_.get(), shift_.get(),
                            tab_.get(), report);
      case 1 + kUnitGemm:
        return tsr_hls_gemm(gmem, &run.map, vta, *c[kG], *p[kG], *t[kL][kG], *f[kL][kG], *t[kV][kG],
                            *f[kV][kG], *t[kS][kG], *f[kS][kG], *t[kG][kL], *f[kG][kL], *t[kG][kV],
                            *f[kG][kV], *t[kG][kS], *f[kG][kS], uop_.get(), wgt_.get(), inp_.get(),
                            acc_.get(), report);
      case 1 + kUnitVector:
        return tsr_hls_vector(vta, *c[kV], *p[kV], *t[kL][kV], *f[kL][kV], *t[kG][kV], *f[kG][kV],
                              *t[kS][kV], *f[kS][kV], *t[kV][kL], *f[kV][kL], *t[kV][kG],
                              *f[kV][kG], *t[kV][kS], *f[kV][kS], inp_.get(), acc_.get(),
                              out_.get(), bias_.get(), multiplier_.get(), shift_.get(), tab_.get(),
                              report);
      default:
        return tsr_hls_store(gmem, &run.map, vta, *c[kS], *p[kS], *t[kL][kS], *f[kL][kS],
                             *t[kG][kS], *f[kG][kS], *t[kV][kS], *f[kV][kS], *t[kS][kL], *f[kS][kL],
                             *t[kS][kG], *f[kS][kG], *t[kS][kV], *f[kS][kV], acc_.get(), out_.get(),
                             report);
    }
  }

 private:
  Scratchpad<uop_word> uop_{kUopDepth};
  Scratchpad<wgt_tile> wgt_{kWgtDepth};
  Scratchpad<inp_tile> inp_{kInpDepth};
  Scratchpad<acc_tile> acc_{kAccDepth};
  Scratchpad<out_tile> out_{kOutDepth};
  Scratchpad<prm_bias> bias_{kPrmDepth};
  Scratchpad<prm_multiplier> multiplier_{kPrmDepth};
  Scratchpad<prm_shift> shift_{kPrmDepth};
  Scratchpad<tab_tile> tab_{kTabDepth};
};

}  // namespace

std::unique_ptr<HlsTwin> MakeTwin() { return std::unique_ptr<HlsTwin>(new Twin); }
uint64_t TwinHash() { return kConfigHash; }

TSR_HLS_CLOSE
