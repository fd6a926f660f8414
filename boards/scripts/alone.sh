# SPDX-License-Identifier: Apache-2.0
#
# Sourced by build.sh for a board without a processor: its bitstream comes from packages (yosys, nextpnr and ecppack of PyPI).

# build_alone NAME BUILD DIR: routes the board's top and leaves tessera.bit, build.txt and routed.txt in DIR, whose board.tcl
# is there. TESSERA_SEED: of nextpnr's random numbers, 1. Uses stop and value of build.sh.
build_alone() {
  local name=$1 build=$2 dir=$3 seed=${TESSERA_SEED:-1} top=boards/$1/$1.sv row asked number
  asked=$(value clock_hz)
  # The top says these numbers itself: its PLL makes the clock.
  for number in "ClockHz $asked" "ClocksPerBit $((asked / $(value baud)))" "MemoryBytes $(value memory_bytes)"; do
    grep -q "parameter int ${number% *} *= ${number#* }[ ,]*\(//.*\)\?$" "$top" ||
      stop "$top has another ${number% *} than board.json, which means ${number#* }"
  done
  { hw/scripts/route.sh --board "$name" --no-compare "$build" "$(value config)" "$seed" 2>&1 >&3 | tee "$dir/route.log" >&2; } \
    3> "$dir/route.out" || stop "$(tail -n 1 "$dir/route.log" | sed 's/^route.sh: //')"
  cat "$dir/route.out"
  row=$(grep '^routed ' "$dir/route.out") || stop "hw/scripts/route.sh printed no row: see $dir/route.out"
  echo "$row" > "$dir/routed.txt"
  cp "$(sed -n 's/^route.sh: the bitstream is //p' "$dir/route.log")" "$dir/tessera.bit"
  set -- $row
  {
    echo "tool ${11}"
    echo "clock_hz $asked"
    awk -v mhz="$9" -v hz="$asked" 'BEGIN { printf "slack_ns %.3f\n", 1e9 / hz - 1000 / mhz }'
    echo "config_hash $(value config_hash)"
  } > "$dir/build.txt"
}
