// SPDX-License-Identifier: Apache-2.0
//
// Delays of the cells and wires of a family, for the static timing estimate (timing.h), in ns.
//
// Cells: speed grade -1 after Xilinx DS187 (Zynq-7000) and DS925 (Zynq UltraScale+), the slow end
// where a table has a range; carry chains and the DSP's inner stages as vendor reports break them
// down. ECP5: speed grade 8 of the LFE5UM5G, as nextpnr 0.11.1 reports routed paths; yosys uses no
// register of its RAM blocks and multipliers, so those delays are 0. Wires: WireTerms below; how
// far a wire goes follows from the instances that it joins (spans.h). The wires of ECP5 are fitted
// to routed designs: hw/scripts/estimate.sh does it and prints the error, also of designs which the
// fit has not seen. No routed design confirms the estimates of Xilinx parts: their wires have one
// length. Use an estimate to compare revisions and to find paths, not as a sign-off.
//
// Depends on: nothing. Used by: arcs.h, spans.h, timing.h.
#ifndef TESSERA_HW_NETLIST_DELAYS_H_
#define TESSERA_HW_NETLIST_DELAYS_H_

#include <string_view>

namespace tessera::netlist {

// What a wire, or all wires of a path, cost by. As delays: ns for one of each.
struct WireTerms {
  double wires = 0;      // 1 a wire
  double doublings = 0;  // log2 of its readers
  double span = 0;       // side of the area that it crosses (spans.h)
  double columns = 0;    // the same, for a wire from or to a RAM block or a multiplier

  WireTerms& operator+=(const WireTerms& other);
};
using WireDelays = WireTerms;

struct CellDelays {
  std::string_view family;  // as in hw/parts.txt
  std::string_view source;
  WireDelays wire;
  double wire_spread;  // added to a wire with over 500 readers: it crosses the part
  // LUTs of the part for each of its RAM blocks (of 18 kbit) and each of its multipliers.
  double luts_per_ram, luts_per_dsp;
  double lut, mux;
  // Carry chain: input to the next block, S or DI to it, carry to sum, S to sum.
  double carry, carry_from_s, carry_to_sum, s_to_sum;
  // Flip-flop: clock to Q; set-up of D, enable, set or reset.
  double ff_out, ff_in, ff_enable, ff_reset;
  // LUT RAM and shift register: clock to out; set-up.
  double ram_out, shift_out, ram_in;
  // Block RAM: clock to out without and with its output register; set-up.
  double bram_out, bram_out_register, bram_in;
  // DSP: clock to P from the register P, M, A or B; set-up of a registered input; through all
  // without registers; input to M, C to P and the cascade to P without an input register.
  double dsp_p, dsp_m, dsp_ab, dsp_in, dsp_through, dsp_to_m, dsp_c, dsp_cascade;
};

inline constexpr CellDelays kFamilies[] = {
    {.family = "xc7",
     .source =
         "cells: -1 after DS187; wires: 0.40 + 0.11 log2(fan-out) ns; no routed design confirms it",
     .wire = {.wires = 0.40, .doublings = 0.11},
     .wire_spread = 0.35,
     .luts_per_ram = 190,
     .luts_per_dsp = 242,
     .lut = 0.124,
     .mux = 0.24,
     .carry = 0.114,
     .carry_from_s = 0.53,
     .carry_to_sum = 0.32,
     .s_to_sum = 0.45,
     .ff_out = 0.48,
     .ff_in = 0.07,
     .ff_enable = 0.205,
     .ff_reset = 0.45,
     .ram_out = 1.15,
     .shift_out = 1.55,
     .ram_in = 0.25,
     .bram_out = 2.454,
     .bram_out_register = 0.882,
     .bram_in = 0.566,
     .dsp_p = 0.434,
     .dsp_m = 1.85,
     .dsp_ab = 4.0,
     .dsp_in = 0.36,
     .dsp_through = 4.2,
     .dsp_to_m = 2.3,
     .dsp_c = 1.56,
     .dsp_cascade = 1.32},
    {.family = "xcup",
     .source = "cells: -1 after DS925; wires: 0.22 + 0.055 log2(fan-out) ns; no routed design "
               "confirms it",
     .wire = {.wires = 0.22, .doublings = 0.055},
     .wire_spread = 0.0,
     .luts_per_ram = 163,
     .luts_per_dsp = 196,
     .lut = 0.10,
     .mux = 0.08,
     .carry = 0.03,
     .carry_from_s = 0.16,
     .carry_to_sum = 0.10,
     .s_to_sum = 0.15,
     .ff_out = 0.08,
     .ff_in = 0.03,
     .ff_enable = 0.06,
     .ff_reset = 0.08,
     .ram_out = 0.65,
     .shift_out = 0.70,
     .ram_in = 0.20,
     .bram_out = 1.19,
     .bram_out_register = 0.29,
     .bram_in = 0.35,
     .dsp_p = 0.22,
     .dsp_m = 0.95,
     .dsp_ab = 2.1,
     .dsp_in = 0.24,
     .dsp_through = 2.3,
     .dsp_to_m = 1.2,
     .dsp_c = 0.84,
     .dsp_cascade = 0.70},
    {.family = "ecp5",
     .source = "cells: LFE5UM5G-8 after nextpnr 0.11.1; wires: 0.346 + 0.092 log2(fan-out) "
               "+ 0.00267 span (0.00719 from or to a column) ns; hw/routed.txt has its error",
     .wire = {.wires = 0.346, .doublings = 0.092, .span = 0.00267, .columns = 0.00452},
     .wire_spread = 0.0,
     .luts_per_ram = 402,
     .luts_per_dsp = 536,
     .lut = 0.14,
     .mux = 0.10,
     .carry = 0.04,
     .carry_from_s = 0.28,
     .carry_to_sum = 0.26,
     .s_to_sum = 0.26,
     .ff_out = 0.31,
     .ff_in = 0.11,
     .ff_enable = 0.0,
     .ff_reset = 0.0,
     .ram_out = 0.31,
     .shift_out = 0.0,
     .ram_in = 0.0,
     .bram_out = 1.42,
     .bram_out_register = 0.0,
     .bram_in = 0.0,
     .dsp_p = 0.0,
     .dsp_m = 0.0,
     .dsp_ab = 0.0,
     .dsp_in = 0.0,
     .dsp_through = 2.54,
     .dsp_to_m = 0.0,
     .dsp_c = 0.0,
     .dsp_cascade = 0.0},
};

}  // namespace tessera::netlist

#endif  // TESSERA_HW_NETLIST_DELAYS_H_
