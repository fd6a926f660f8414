# SPDX-License-Identifier: Apache-2.0
#
# Reads nextpnr's log of a routed design, prints its row for hw/routed.txt and what its worst path consists of, and adds the
# row to the file ROWS.
#
#   awk -v module=MODULE -v config=CONFIG -v part=PART -v estimate=MHZ -v tool=NEXTPNR -v seed=N -v rows=ROWS -f route_report.awk LOG
$1 == "Info:" && $3 ~ /^[0-9]+\/$/ {
  name = $2
  sub(/:$/, "", name)
  used[name] = $3 + 0
}
/^Info: Max frequency for clock/ {
  mhz = $0
  sub(/^[^:]*: [^:]*: /, "", mhz)
  mhz += 0
}
# The last such report of the log is the one after routing.
/^Info: Critical path report for/ {
  inside = / clock /
  if (inside) delete ns
  if (inside) from = to = longest_name = ""
  if (inside) wires = longest = 0
}
!inside { next }
$2 == "clk-to-q" || $2 == "logic" || $2 == "routing" || $2 == "setup" {
  ns[$2] += $3
  wires += $2 == "routing" && $3 > 0  # within a carry chain they have no length
  if ($2 == "clk-to-q") from = $NF
  if ($2 == "routing" && $3 > longest) {
    longest = $3
    longest_name = $6
  }
}
$2 == "Sink" { to = $NF }
END {
  row = sprintf("routed %s %s %s %d %d %d %d %.1f %.1f %s %d", module, config, part, used["TRELLIS_COMB"], used["TRELLIS_FF"],
                used["MULT18X18D"], used["DP16KD"], mhz, estimate, tool, seed)
  print row
  print row >> rows
  printf "  routed %.1f MHz, estimated before placement %.1f: %+.0f %%\n", mhz, estimate, 100 * (estimate - mhz) / mhz
  printf "  worst path %.2f ns: clock to output %.2f, cells %.2f, %d wires %.2f (the longest %.2f, %s), set-up %.2f\n",
         ns["clk-to-q"] + ns["logic"] + ns["routing"] + ns["setup"], ns["clk-to-q"], ns["logic"], wires, ns["routing"],
         longest, longest_name, ns["setup"]
  printf "  from %s\n  to   %s\n", from, to
}
