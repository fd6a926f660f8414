# SPDX-License-Identifier: Apache-2.0
#
# Tests of the scripts that compare a measurement with a table source this file. It runs $script on $work/parts and
# $work/table; $variable names the measurement for the script. $status becomes 1 at the first difference.
status=0
# expect STATUS "TEXT" YOSYS CONFIG "MEASUREMENT": the exit status, and what a FAIL line contains (- : no FAIL line)
expect() {
  result=0
  awk -v yosys="$3" -v config="$4" -v module=top -v "$variable=$5" -f "$script" "$work/parts" "$work/table" > "$work/out" || result=$?
  failures=$(grep '^FAIL' "$work/out" || true)
  bad=
  [ "$result" = "$1" ] || bad="exit status $result, not $1"
  if [ "$2" = - ]; then
    [ -z "$failures" ] || bad="$bad; failures"
  else
    echo "$failures" | grep -qF -- "$2" || bad="$bad; no failure with '$2'"
  fi
  if [ -n "$bad" ]; then
    echo "$4 with $5: $bad"
    cat "$work/out"
    status=1
  fi
}
