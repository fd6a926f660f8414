# SPDX-License-Identifier: Apache-2.0
#
# Compares one measurement with a table of areas (hw/area.txt, whose head lists what fails), given the parts
# (hw/parts.txt).
#
#   awk -v yosys=0.70 -v config=tiny -v module=tsr_top -v used="LUT route FF DSP BRAM36" -f area_compare.awk PARTS TABLE
#
# Prints a line for each resource and one for each failure. Exit status 0: as the table says; 1: not.
function fail(text) {
  print "FAIL: " text
  failed = 1
}
# LUT, route, FF, DSP, BRAM36 -> the numbers to compare: a route-through counts as a LUT.
function compared(from, to) {
  to[1] = from[1] + from[2]
  for (i = 2; i <= 4; i++) to[i] = from[i + 1]
}
BEGIN { split("LUT FF DSP BRAM36", name, " ") }
/^#/ || NF == 0 { next }
$1 == "part" { for (i = 1; i <= 4; i++) size[$2, i] = $(i + 4) }
$1 == "for" && $2 == config { part = $3 }
$1 == "yosys" { for_yosys = $2 }
$1 == "measured" && $2 == config && $3 == module {
  found = 1
  for (i = 1; i <= 5; i++) row[i] = $(i + 3)
  compared(row, was)
  for (i = 9; i <= NF; i++) if ($i != "over") known[$i] = 1
}
END {
  split(used, measured, " ")
  compared(measured, now)
  print module " of configuration " config " for " part " (LUT: " measured[2] " route-throughs included):"
  text = "measured " config " " module " " used
  for (i = 1; i <= 4; i++) {
    limit[i] = size[part, i]
    printf "  %-7s %7s of %6d  %5.1f %%%s%s\n", name[i], now[i], limit[i], 100 * now[i] / limit[i],
           found ? "  table " was[i] : "", (now[i] > limit[i]) ? "  over the part" : ""
    if (now[i] > limit[i]) over = over " " name[i]
  }
  text = text (over == "" ? "" : "  over" over)
  if (yosys != for_yosys) fail("the table is for yosys " for_yosys ", this is " yosys ": counts differ between versions")
  if (!found) fail("no row for " module " of " config "; if this area is meant, add: " text)
  for (i = 1; i <= 4; i++) {
    if (found && now[i] > 1.01 * was[i]) fail(name[i] " went up from " was[i] " to " now[i] "; find out why, or write: " text)
    if (found && now[i] < 0.99 * was[i]) fail(name[i] " went down from " was[i] " to " now[i] "; write it down: " text)
    if (now[i] > limit[i] && !known[name[i]]) fail(name[i] " is " now[i] ", " part " has " limit[i])
    if (now[i] <= limit[i] && known[name[i]])
      fail(name[i] " fits now, it is no known failure any more; write: " text)
  }
  exit failed
}
