#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints the table of docs/configurations.md, configurations on silicon: area (hw/area.txt), estimated clock (hw/timing.txt),
# wanted clock (hw/parts.txt) and, for default, the golden cycles (tests/models/cycles.json). Below the estimates: Vivado's
# results for a board (hw/routed.txt, or the file that TESSERA_ROUTED names). Then a table of what hw/scripts/route.sh routed:
# the rows of several seeds make one line. The column of the estimate says how far it is off (hw/scripts/estimate.sh). Then how
# far area and clock without synthesis are off (hw/predicted.txt).
#
#   silicon.sh             prints it
#   silicon.sh --check     compares it with docs/configurations.md
#   silicon.sh --write     puts it there
#
# Exit status 0: done, or equal; 1: the page has another.
set -eu
hw=$(cd "$(dirname "$0")/.." && pwd)
page=$hw/../docs/configurations.md
table() {
  awk '
    function thousands(n,   text) {
      for (text = ""; n >= 1000; n = int(n / 1000)) text = sprintf(",%03d", n % 1000) text
      return n text
    }
    /^#/ { next }
    $1 == "part" { for (i = 5; i <= 8; i++) size[$2, i - 4] = $i }
    $1 == "for" { part[$2] = $3; wanted[$2] = $4 }
    /^ *"(fashion|image_classification|keyword_spotting|visual_wake_words|anomaly_detection)"/ {
      gsub(/[":,]/, "")
      cycles["default"] += $2
    }
    $1 == "error" && FILENAME ~ /predicted/ {
      predicted[++p] = $0
      next
    }
    $1 == "error" { error = sprintf("; of %d routed ECP5 designs that its fit has not seen: %d %% off, %d %% at most", $2, $5, $6) }
    $1 == "routed" && NF == 10 { routed[++r] = $0 }
    $1 == "routed" && NF == 12 && $2 == "tessera" {
      key = $3 SUBSEP $4 SUBSEP $11
      estimate[key] = $10
      if (!(key in seeds)) group[++g] = key
      for (at = ++seeds[key]; at > 1 && mhz[key, at - 1] > $9; at--) mhz[key, at] = mhz[key, at - 1]
      mhz[key, at] = $9
      for (i = 1; i <= 4; i++) if ($(i + 4) > most[key, i]) most[key, i] = $(i + 4)
    }
    $1 == "measured" && $3 == "tsr_top" && FILENAME ~ /timing/ { ns[$2] = $4 }
    $1 == "measured" && $3 == "tsr_top" && FILENAME ~ /area/ {
      order[++n] = $2
      used[$2, 1] = $4 + $5
      for (i = 2; i <= 4; i++) used[$2, i] = $(i + 4)
    }
    END {
      print "| configuration | part | LUT and route-throughs | FF | DSP | BRAM36 | MHz, an unconfirmed estimate of unknown error | MHz, wanted | cycles, five networks | ms at 100 MHz |"
      print "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
      for (o = 1; o <= n; o++) {
        config = order[o]
        line = "| `" config "` | " part[config]
        for (i = 1; i <= 4; i++) {
          line = line " | " thousands(used[config, i]) " of " thousands(size[part[config], i])
        }
        line = line sprintf(" | %d | %d | ", 1000 / ns[config], wanted[config])
        if (config in cycles) line = line sprintf("%s | %.2f |", thousands(cycles[config]), cycles[config] / 1e5)
        else line = line "- | - |"
        print line
      }
      for (o = 1; o <= r; o++) {
        split(routed[o], f, " ")
        gsub(/-/, " ", f[10])
        config = f[3]
        line = "| `" config "`, routed for " f[2] " by " f[10] " | " part[config]
        for (i = 1; i <= 4; i++) line = line " | " thousands(f[i + 4]) " of " thousands(size[part[config], i])
        print line sprintf(" | %d, routed | %d | - | - |", f[9], wanted[config])
      }
      if (g > 0) routed_table()
      print ""
      print "| family | resource, without synthesis | error, median | error, worst | configurations |"
      print "|---|---|---:|---:|---:|"
      for (o = 1; o <= p; o++) {
        split(predicted[o], f, " ")
        split("LUT and route-throughs|clock period", name, "|")
        if (f[3] == "LUT") f[3] = name[1]
        if (f[3] == "ns") f[3] = name[2]
        exact = f[5] == 0
        printf("| %s | %s | %s | %s | %d |\n", f[2], f[3], exact ? "exact" : f[4] " %", exact ? "exact" : f[5] " %", f[6])
      }
    }
    function routed_table(   o, f, line, i, n, median) {
      print ""
      print "| configuration | part | LUT of 4 inputs | FF | multipliers | RAM blocks of 18 kbit | MHz, routed: median | lowest to highest | seeds | MHz, estimated before placement" error " | tool |"
      print "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|"
      for (o = 1; o <= g; o++) {
        key = group[o]
        split(key, f, SUBSEP)
        line = "| `" f[1] "` | " f[2]
        for (i = 1; i <= 4; i++) line = line " | " thousands(most[key, i]) " of " thousands(size[f[2], i])
        n = seeds[key]
        sub(/-/, " ", f[3])
        median = (mhz[key, int((n + 1) / 2)] + mhz[key, int(n / 2) + 1]) / 2
        line = line sprintf(" | %.1f | %.1f to %.1f | %d", median, mhz[key, 1], mhz[key, n], n)
        print line sprintf(" | %.1f, %+.0f %% | %s |", estimate[key], 100 * (estimate[key] - median) / median, f[3])
      }
    }' "$hw/parts.txt" "$hw/../tests/models/cycles.json" "$hw/timing.txt" "$hw/area.txt" "$hw/predicted.txt" "${TESSERA_ROUTED:-$hw/routed.txt}"
}
# The page with the table between its two marks.
whole() {
  table > "$1"
  awk -v table="$1" '
    /^<!-- end of hw\/scripts\/silicon.sh -->/ { inside = 0 }
    !inside { print }
    /^<!-- printed by hw\/scripts\/silicon.sh -->/ { inside = 1; while ((getline line < table) > 0) print line }' "$page"
}
case ${1:-} in
  "") table ;;
  --check | --write)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    whole "$work/table" > "$work/page"
    if [ "$1" = --write ]; then
      cp "$work/page" "$page"
    elif ! diff "$page" "$work/page"; then
      echo "docs/configurations.md has another table of configurations on silicon; run: hw/scripts/silicon.sh --write"
      exit 1
    fi ;;
  *) sed -n '/^#   silicon/,/^# Exit/p' "$0" >&2; exit 2 ;;
esac
