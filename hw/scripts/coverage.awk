# SPDX-License-Identifier: Apache-2.0
#
# Lines and toggles of Verilator's coverage data, summed over all files, instances and widths of a module.
#   awk -v rtl=FOLDER/ -v holes=FILE -f coverage.awk DATA...   called by coverage.sh, which says what it prints
# A line counts when Verilator names it in a block (S=82 or 82-84,86) of a file below |rtl|; it is covered when any
# of these blocks was executed. A signal is covered when it changed both ways in some instance.
BEGIN {
  FS = "'"
  while ((getline text < holes) > 0) {
    if (text ~ /^[ \t]*(#|$)/) continue
    split(text, word, /[ \t]+/)
    reason = text
    sub(/^[^ \t]+[ \t]*/, "", reason)
    if (reason == "") { print holes ": " word[1] " has no reason"; failed = 1 }
    listed[word[1]] = reason
  }
}
/^C / {
  n = split($2, part, "\001")
  file = kind = block = line = what = ""
  for (i = 1; i <= n; i++) {
    mark = index(part[i], "\002")
    key = substr(part[i], 1, mark - 1)
    value = substr(part[i], mark + 1)
    if (key == "f") file = value
    else if (key == "l") line = value
    else if (key == "page") kind = value
    else if (key == "S") block = value
    else if (key == "o") what = value
  }
  if (index(file, rtl) != 1) next
  file = substr(file, length(rtl) + 1)
  if (kind ~ /^v_toggle/) { toggles[file ":" line " " what] += $3; next }
  if (kind !~ /^v_line/ && kind !~ /^v_branch/) next
  count = split(block, range, ",")
  for (i = 1; i <= count; i++) {
    if (split(range[i], ends, "-") == 1) ends[2] = ends[1]
    for (l = ends[1] + 0; l <= ends[2] + 0; l++) lines[file ":" l] += $3
  }
}
END {
  for (l in lines) {
    split(l, at, ":")
    all[at[1]]++
    total++
    if (lines[l] > 0) { hit[at[1]]++; covered++ }
  }
  for (t in toggles) { signals++; if (toggles[t] > 0) changed++ }
  for (l in lines) if (lines[l] == 0) missed[++m] = l
  # A hole is named by the text of its line, which survives changes above it.
  for (i = 1; i <= m; i++) {
    split(missed[i], at, ":")
    number = 0
    while ((getline text < (rtl at[1])) > 0) if (++number == at[2]) break
    close(rtl at[1])
    gsub(/[ \t]+/, "", text)
    name = at[1] ":" text
    if (name in listed) { seen[name] = 1; excuse[++excused] = "hole " missed[i] ": " listed[name] }
    else { holes_without[name] = missed[i]; failed = 1 }
  }
  for (name in holes_without) print "hole without a reason: " name "  (line " holes_without[name] ")"
  for (name in listed) if (!(name in seen)) { print "reason without a hole: " name; failed = 1 }
  for (i = 1; i <= excused; i++) print excuse[i]
  if (total == 0) { print "no coverage data of " rtl; exit 1 }
  printf "lines    %d of %d executed, %.1f %%; %d holes\n", covered, total, 100 * covered / total, m + 0
  if (signals) printf "toggles  %d of %d signals of up to 4 bits changed, %.1f %%\n", changed, signals, 100 * changed / signals
  if (100 * covered < 98 * total) { print "fewer than 98 % of lines"; failed = 1 }
  exit failed + 0
}
