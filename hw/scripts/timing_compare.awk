# SPDX-License-Identifier: Apache-2.0
#
# Compares one worst path with a table (hw/timing.txt, whose head lists what fails), given the parts
# (hw/parts.txt).
#
#   awk -v yosys=0.70 -v config=tiny -v module=tsr_top -v worst=NS -f timing_compare.awk PARTS TABLE
#
# Prints a line, and one for each failure. Exit status 0: as the table says; 1: not.
function fail(text) {
  print "FAIL: " text
  failed = 1
}
/^#/ || NF == 0 { next }
$1 == "part" { grade[$2] = $4 }
$1 == "for" && $2 == config { part = $3; wanted = $4 }
$1 == "yosys" { for_yosys = $2 }
$1 == "measured" && $2 == config && $3 == module { found = 1; was = $4; known = $5 == "slow" }
END {
  slow = worst > 1000 / wanted
  row = "measured " config " " module " " worst (slow ? "  slow" : "")
  printf "%s of configuration %s for %s %s: %.2f ns, %.0f MHz estimated, %d wanted%s\n", module, config, part, grade[part], worst,
         1000 / worst, wanted, found ? ", table " was " ns" : ""
  if (yosys != for_yosys) fail("the table is for yosys " for_yosys ", this is " yosys ": netlists differ between versions")
  if (!found) fail("no row for " module " of " config "; if this path is meant, add: " row)
  if (found && worst > 1.01 * was) fail("the worst path went up from " was " to " worst " ns; find out why, or write: " row)
  if (found && worst < 0.99 * was) fail("the worst path went down from " was " to " worst " ns; write it down: " row)
  if (slow && !known) fail("the worst path is " worst " ns, " wanted " MHz need " sprintf("%.2f", 1000 / wanted))
  if (!slow && known) fail("the clock is reached, it is no known failure any more; write: " row)
  exit failed
}
