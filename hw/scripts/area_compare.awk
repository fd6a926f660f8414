# SPDX-License-Identifier: Apache-2.0
#
# Compares one measurement with a table of areas (hw/area.txt, whose head says what fails).
#
#   awk -v yosys=0.23 -v config=tiny -v module=tsr_top -v used="LUT FF DSP BRAM36" -f area_compare.awk TABLE
#
# Prints a line for each resource and one for each failure. Exit status 0: as the table says; 1: not.
function fail(text) {
  print "FAIL: " text
  failed = 1
}
/^#/ || NF == 0 { next }
$1 == "yosys" { for_yosys = $2; next }
$1 == "part" { part = $2; for (i = 1; i <= 4; i++) limit[i] = $(i + 2); next }
$1 == "measured" && $2 == config && $3 == module {
  found = 1
  for (i = 1; i <= 4; i++) was[i] = $(i + 3)
  for (i = 8; i <= NF; i++) if ($i != "over") known[$i] = 1
}
END {
  split("LUT FF DSP BRAM36", name, " ")
  split(used, now, " ")
  print module " of configuration " config " for " part ":"
  for (i = 1; i <= 4; i++) {
    printf "  %-7s %7s of %6d  %5.1f %%%s%s\n", name[i], now[i], limit[i], 100 * now[i] / limit[i],
           found ? "  table " was[i] : "", (now[i] > limit[i]) ? "  over the part" : ""
  }
  row = "measured " config " " module
  for (i = 1; i <= 4; i++) row = row " " now[i]
  for (i = 1; i <= 4; i++) if (now[i] > limit[i]) over = over " " name[i]
  row = row (over == "" ? "" : "  over" over)
  if (yosys != for_yosys) fail("the table is for yosys " for_yosys ", this is " yosys ": counts differ between versions")
  if (!found) fail("no row for " module " of " config "; if this area is meant, add: " row)
  for (i = 1; i <= 4; i++) {
    if (found && now[i] > 1.01 * was[i]) fail(name[i] " went up from " was[i] " to " now[i] "; find out why, or write: " row)
    if (found && now[i] < 0.99 * was[i]) fail(name[i] " went down from " was[i] " to " now[i] "; write it down: " row)
    if (now[i] > limit[i] && !known[name[i]]) fail(name[i] " is " now[i] ", " part " has " limit[i])
    if (now[i] <= limit[i] && known[name[i]])
      fail(name[i] " fits now, it is no known failure any more; write: " row)
  }
  exit failed
}
