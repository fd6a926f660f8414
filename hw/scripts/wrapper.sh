#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Has yosys read tessera.v as Verilog-2001 and elaborate it, with ports of AXI3 and of AXI4. Checks the ports, from which
# tools infer interfaces. A data width other than the machine's must not elaborate.
#
#   wrapper.sh BUILD    BUILD: has bin/isa_gen
#
# Exit status 0: as expected; 1: not. CPU seconds: 10.
set -eu
if [ $# -ne 1 ]; then
  sed -n '/^#   wrapper/,/^# Exit/p' "$0" >&2
  exit 2
fi
build=$1
scripts=$(cd "$(dirname "$0")" && pwd)
rtl=$(cd "$scripts/../rtl" && pwd)
. "$rtl/sources.sh"
yosys=$("$scripts/../../scripts/pypi_tool.sh" "$build" yosys)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# yosys reads only the folder it runs in.
cp $(rtl_files) "$work/"
"$build/bin/isa_gen" sv --config tiny | grep -v '^ *//' > "$work/tsr_pkg.sv"
# elaborate AXI BITS: prints "direction port width" of every port
elaborate() {
  {
    echo "read_verilog -sv -DSYNTHESIS -I. tsr_pkg.sv $(rtl_packages | sed 's|.*/||' | tr '\n' ' ')"
    echo "read_verilog -sv -DSYNTHESIS -I. $(rtl_modules | sed 's|.*/||' | tr '\n' ' ')"
    echo "read_verilog -DTESSERA_AXI$1 tessera.v"
    echo "hierarchy -check -top tessera -chparam C_M_AXI_GMEM_DATA_WIDTH $2"
    echo "tee -q -o ports.txt portlist tessera"
  } > "$work/run.ys"
  (cd "$work" && "$yosys" -q -s run.ys) > "$work/log.txt" 2>&1 || return 1
  sed -n 's/^ *\(input\|output\) \[\([0-9]*\):0\] \([a-z_]*\).*/\1 \3 \2/p' "$work/ports.txt"
}
status=0
# has AXI "DIRECTION PORT HIGHEST_BIT": it has this port; lacks AXI PORT
has() {
  grep -qx "$2" "$work/ports$1" || { echo "wrapper.sh: with AXI$1 there is no port: $2"; status=1; }
}
lacks() {
  ! grep -q " m_axi_gmem_$2 " "$work/ports$1" || { echo "wrapper.sh: with AXI$1 there is a port $2"; status=1; }
}
for axi in 3 4; do
  if ! elaborate $axi 64 > "$work/ports$axi"; then
    echo "wrapper.sh: yosys refuses tessera.v with AXI$axi:"
    tail -n 5 "$work/log.txt"
    exit 1
  fi
  has $axi "input ap_clk 0"
  has $axi "input ap_rst_n 0"
  has $axi "output interrupt 0"
  has $axi "input s_axi_control_awaddr 11"
  has $axi "output m_axi_gmem_wdata 63"
  has $axi "output m_axi_gmem_arqos 3"
  if elaborate $axi 128 > "$work/ports" || ! grep -q FATAL "$work/log.txt"; then
    echo "wrapper.sh: 128 bits of data around a machine of 64 are not refused"
    status=1
  fi
done
has 3 "output m_axi_gmem_wid 5"
has 3 "output m_axi_gmem_awlen 3"
has 3 "output m_axi_gmem_arlock 1"
has 3 "output m_axi_gmem_araddr 31"
lacks 3 awuser
has 4 "output m_axi_gmem_awlen 7"
has 4 "output m_axi_gmem_arlock 0"
has 4 "output m_axi_gmem_araddr 63"
has 4 "output m_axi_gmem_awuser 0"
lacks 4 wid
exit $status
