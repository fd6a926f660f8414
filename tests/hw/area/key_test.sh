#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: the key in the names of netlists (synth.sh -n), with yosys on a small module of two files. Edits that leave
# the design as it is keep the key: comments, lines, the name of a file, a module that nothing uses, a branch that is not
# taken, another localparam, another name of a wire, a name for an expression, the order of things. Each edit of the design
# changes it: an operator, a width, a constant, a first value, a connection, a parameter, an instance's name, an attribute.
# So do another version of yosys and another family. Equal sources need no second elaboration. Not tested here: netlists.
#
#   key_test.sh HW_SCRIPTS BUILD
set -eu
scripts=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
yosys=$("$scripts/../../scripts/pypi_tool.sh" "$build" yosys)
build=$(cd "$build" && pwd)
tree=$work/tree/hw
mkdir -p "$tree/scripts" "$tree/rtl"
cp "$scripts/synth.sh" "$tree/scripts"
cp "$scripts/../parts.txt" "$tree"
cp "$scripts/../rtl/sources.sh" "$tree/rtl"
ln -s "$(cd "$scripts/../../scripts" && pwd)" "$work/tree/scripts"
printf 'tsr_other_pkg.sv\ntsr_small.sv\ntsr_part.sv\n' > "$tree/rtl/files.f"
cat > "$tree/rtl/tsr_other_pkg.sv" <<'SV'
package tsr_other_pkg;
  localparam int Width = 8;
endpackage
SV
cat > "$tree/rtl/tsr_small.sv" <<'SV'
module tsr_small (input logic clk_i, input logic [7:0] a_i, input logic [7:0] b_i, output logic [7:0] q_o);
  logic [7:0] sum, held, other;
  assign sum = a_i + b_i;
  (* ram_style = "block" *) logic [7:0] mem[16];
  logic ready_q = 1'b0;
  always_ff @(posedge clk_i) begin
    ready_q <= 1'b1;
    mem[a_i[3:0]] <= sum;
    held <= mem[b_i[3:0]];
  end
  if (tsr_pkg::Wide) begin : g_wide
    assign other = held ^ 8'd5;
  end else begin : g_narrow
    assign other = held;
  end
  tsr_part #(.Step(3)) u_part (.a_i(other), .b_i(sum), .en_i(ready_q), .q_o(q_o));
endmodule
SV
cat > "$tree/rtl/tsr_part.sv" <<'SV'
module tsr_part #(parameter int Step = 1) (input logic [7:0] a_i, input logic [7:0] b_i, input logic en_i, output logic [7:0] q_o);
  assign q_o = en_i ? a_i - b_i : a_i + 8'(Step);
endmodule
SV
# key NAME PART [EDIT [YOSYS]]: writes the key into NAME.key. EDIT runs in the folder of a copy of the sources.
key() {
  mkdir -p "$work/$1/build/bin"
  cp -R "$work/tree" "$work/$1/"
  printf '#!/bin/sh\necho "package tsr_pkg; localparam bit Wide = 1; endpackage"\n' > "$work/$1/build/bin/isa_gen"
  chmod +x "$work/$1/build/bin/isa_gen"
  ln -s "$build/bin/netlist_report" "$work/$1/build/bin/netlist_report"
  (cd "$work/$1/tree/hw/rtl" && ${3:-true})
  TESSERA_YOSYS=${4:-$yosys} "$work/$1/tree/hw/scripts/synth.sh" -n "$work/$1/build" default tsr_small "$2" > "$work/$1.name" || echo failed > "$work/$1.name"
  sed 's/.*-//' "$work/$1.name" > "$work/$1.key"
}
# Edits that change nothing of the design.
edit_text() {
  sed -i 's|^  assign sum|// A comment.\n\n&|; s/endmodule/  localparam int New = 4;\n&/' tsr_small.sv
  sed -i "s/other = held;/other = held + 8'd9;/" tsr_small.sv  # in the branch that is not taken
  sed -i 's/int Width = 8;/& localparam int More = Width + 1;/' tsr_other_pkg.sv
  mv tsr_other_pkg.sv tsr_another_pkg.sv
  echo 'module tsr_unused (input logic a_i, output logic b_o); assign b_o = !a_i; endmodule' > tsr_unused.sv
  printf 'tsr_another_pkg.sv\ntsr_unused.sv\ntsr_part.sv\ntsr_small.sv\n' > files.f
}
edit_names() { sed -i 's/held/kept/g; s/sum/total/g; s/other = kept ^/other = again ^/; s/^  logic ready_q/  logic [7:0] again; assign again = kept;\n&/' tsr_small.sv; }
edit_order() { sed -i "s/^    ready_q <= .*//; s/^    held <= .*/&\n    ready_q <= 1'b1;/" tsr_small.sv; }
# Edits of the design.
edit_operator() { sed -i 's/a_i - b_i/a_i \& b_i/' tsr_part.sv; }
edit_width() { sed -i "s/sum = a_i + b_i/sum = {1'b0, a_i[6:0] + b_i[6:0]}/" tsr_small.sv; }
edit_constant() { sed -i "s/8'd5/8'd7/" tsr_small.sv; }
edit_first_value() { sed -i "s/ready_q = 1'b0/ready_q = 1'b1/" tsr_small.sv; }
edit_connection() { sed -i 's/mem\[b_i/mem[a_i/' tsr_small.sv; }
edit_parameter() { sed -i 's/Step(3)/Step(4)/' tsr_small.sv; }
edit_instance() { sed -i 's/u_part/u_piece/' tsr_small.sv; }
edit_attribute() { sed -i 's/block/distributed/' tsr_small.sv; }
same="text names order"
other="operator width constant first_value connection parameter instance attribute"

failed=no
for edit in none $same $other; do
  if [ $edit = none ]; then key none xc7z020 & else key $edit xc7z020 edit_$edit & fi
  if [ -f "$work/half" ]; then wait; rm "$work/half"; else touch "$work/half"; fi
done
wait
expected=$(cat "$work/none.key")
case $expected in [0-9a-f]*.json) ;; *) echo "key_test: no key: $expected"; exit 1 ;; esac
for edit in $same; do
  [ "$(cat "$work/$edit.key")" = "$expected" ] || { echo "key_test: edit '$edit' changes the key"; failed=yes; }
done
for edit in $other; do
  cmp -s "$work/none/tree/hw/rtl/tsr_small.sv" "$work/$edit/tree/hw/rtl/tsr_small.sv" &&
    cmp -s "$work/none/tree/hw/rtl/tsr_part.sv" "$work/$edit/tree/hw/rtl/tsr_part.sv" && { echo "key_test: '$edit' edits nothing"; failed=yes; }
done
all=$(for edit in none $other; do cat "$work/$edit.key"; done | grep -v failed | sort -u | wc -l)
[ "$all" -eq 9 ] || { echo "key_test: two designs share a key, or one has none"; failed=yes; }

# A yosys that only has a version: equal sources and equal version need no more of it.
printf '#!/bin/sh\n[ "$1" = -V ] && echo "$("%s" -V)"\n' "$yosys" > "$work/version"
chmod +x "$work/version"
TESSERA_YOSYS=$work/version "$work/none/tree/hw/scripts/synth.sh" -n "$work/none/build" default tsr_small xc7z020 > "$work/again" || true
[ "$(cat "$work/again")" = "$(cat "$work/none.name")" ] || { echo "key_test: equal sources are elaborated again"; failed=yes; }
printf '#!/bin/sh\n[ "$1" = -V ] && echo "Yosys 9.9" || exec "%s" "$@"\n' "$yosys" > "$work/newest"
chmod +x "$work/newest"
key newer xc7z020 true "$work/newest"
key family xczu3eg
for what in newer family; do
  [ "$(cat "$work/$what.key")" != "$expected" ] || { echo "key_test: $what has the same key"; failed=yes; }
done
[ $failed = no ] && echo ok
