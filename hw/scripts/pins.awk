# SPDX-License-Identifier: Apache-2.0
#
# Prints a module `pins` of three pins around a module with more ports than a package has pins, in Verilog-2001.
#
#   awk -v top=MODULE -v clock=PORT -f pins.awk PORTS    PORTS: as yosys' command portlist prints them for MODULE
#
# A shift register from pin scan_i drives every input but the clock. Every output goes to a flip-flop of its own; these are
# folded into a second shift register that ends at pin scan_o. So each path of MODULE starts and ends at a flip-flop, and
# no tool can remove a part of it. The module's last comment counts what it adds: flip-flops, and LUTs of two inputs.
$1 != "input" && $1 != "output" { next }
$NF == clock { found = 1; next }
{
  high = $2
  sub(/^\[/, "", high)
  sub(/:.*/, "", high)
  range = "[" (count[$1] + high) ":" (count[$1] + 0) "]"
  count[$1] += high + 1
  ports = ports ",\n    ." $NF "(" $1 "_" ($1 == "input" ? "q" : "w") range ")"
}
END {
  in_bits = count["input"]
  out_bits = count["output"]
  if (!found || !in_bits || !out_bits) {
    print "pins.awk: " top " needs a clock " clock ", an input and an output" > "/dev/stderr"
    exit 1
  }
  printf "module pins (input wire clk_i, input wire scan_i, output wire scan_o);\n"
  printf "  reg [%d:0] input_q;\n  reg [%d:0] output_q, fold_q;\n  wire [%d:0] output_w;\n", in_bits - 1, out_bits - 1, out_bits - 1
  printf "  always @(posedge clk_i) begin\n"
  printf "    input_q <= {input_q, scan_i};\n    output_q <= output_w;\n    fold_q <= {fold_q, 1'b0} ^ output_q;\n  end\n"
  printf "  assign scan_o = fold_q[%d];\n", out_bits - 1
  printf "  %s u_top (\n    .%s(clk_i)%s\n  );\nendmodule\n", top, clock, ports
  printf "// adds %d FF and %d LUT\n", in_bits + 2 * out_bits, out_bits
}
