# SPDX-License-Identifier: Apache-2.0
#
# Compares rows of routed designs with a table (hw/routed.txt).
#
#   awk -f route_compare.awk TABLE ROWS
#
# Prints a line for each row and one for each failure: a number more than 5 % off the table's in either direction, another
# tool, or no row in the table. Exit status 0: as the table says; 1: not.
function fail(text) {
  print "FAIL: " text
  failed = 1
}
BEGIN { split("LUT FF DSP RAM MHz estimate", name, " ") }
$1 != "routed" || NF != 12 { next }
{ key = $2 " " $3 " " $4 " " $12 }
FILENAME == ARGV[1] { table[key] = $0; next }
{
  $1 = $1
  what = $2 " of " $3 ", seed " $12
  if (!(key in table)) {
    fail("no row for " what " on " $4 "; if this is meant, add: " $0)
    next
  }
  split(table[key], was, " ")
  if ($11 != was[11]) fail("the row for " what " is of " was[11] ", this is " $11 ": results differ between versions")
  line = what ":"
  for (i = 1; i <= 6; i++) {
    now = $(i + 4)
    before = was[i + 4]
    line = line " " name[i] " " now ", table " before (i < 6 ? ";" : "")
    if (now > 1.05 * before) fail(name[i] " of " what " went up from " before " to " now (i >= 5 ? "; write it down: " : "; find out why, or write: ") $0)
    if (now < 0.95 * before) fail(name[i] " of " what " went down from " before " to " now (i >= 5 ? "; find out why, or write: " : "; write it down: ") $0)
  }
  print line
}
END { exit failed }
