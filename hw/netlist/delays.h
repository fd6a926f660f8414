// SPDX-License-Identifier: Apache-2.0
//
// Delays of the cells and wires of a family, for the static timing estimate (timing.h), in ns.
//
// Cells: speed grade -1 after Xilinx DS187 (Zynq-7000) and DS925 (Zynq UltraScale+), the slow end
// where a table has a range; carry chains and the DSP's inner stages as vendor reports break them
// down. ECP5: speed grade 8 of the LFE5UM5G, as nextpnr 0.11.1 reports routed paths; yosys uses no
// register of its RAM blocks and multipliers, so those delays are 0. Wires: base + per_doubling *
// log2(fan-out), a model of placed designs, not a property of a wire: it does not know distance. No
// routed design confirms the estimates of Xilinx parts; for ECP5 hw/scripts/route.sh prints the
// error, and hw/routed.txt has both clocks. Use an estimate to compare revisions and to find paths,
// not as a sign-off.
//
// Depends on: nothing. Used by: timing.cc.
#ifndef TESSERA_HW_NETLIST_DELAYS_H_
#define TESSERA_HW_NETLIST_DELAYS_H_

#include <string_view>

namespace tessera::netlist {

struct CellDelays {
  std::string_view family;  // as in hw/parts.txt
  std::string_view source;
  double wire_base, wire_per_doubling;
  double wire_spread;  // added to a wire with over 500 readers: it crosses the part
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
     .wire_base = 0.40,
     .wire_per_doubling = 0.11,
     .wire_spread = 0.35,
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
     .wire_base = 0.22,
     .wire_per_doubling = 0.055,
     .wire_spread = 0.0,
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
     .source = "cells: LFE5UM5G-8 after nextpnr 0.11.1; wires: 0.60 + 0.15 log2(fan-out) ns; "
               "hw/routed.txt has its error",
     .wire_base = 0.60,
     .wire_per_doubling = 0.15,
     .wire_spread = 0.0,
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
