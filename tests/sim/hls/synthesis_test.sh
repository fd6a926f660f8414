#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is tested: the tops as synthesis would see them. clang's IR of each has no recursion, allocation, call through a
# pointer, function without a body or floating point, for one configuration. Its syntax tree, read through libclang,
# stays in the subset that hw/hls/scripts/clang_check.py knows; its pragmas follow the rules of that script; no
# pipelined loop wants more than its memory ports allow: hw/hls/ledger.txt, an estimate. The checks find each fault that
# they look for, in sources made for it. Not tested here, and not run: C synthesis.
#
#   TESSERA_GOLDEN_WRITE=1 writes the ledger anew
#   synthesis_test.sh CLANG CONFIG BUILD WORK
set -euo pipefail
clang=$1 config=$2 build=$3 work=$4
rm -rf "$work" && mkdir -p "$work"
ir() { "$clang" -std=c++14 -O0 -D__SYNTHESIS__ -fno-exceptions -fno-rtti -Wall -Wextra -Werror \
       -Wno-unknown-pragmas -Wno-unused-label -S -emit-llvm \
       -I"$build/hls/$config" -Ihw/hls -Ihw/hls/shim "$1" -o "$2"; }

# check [--ledger | --files] FILE
check() { hw/hls/scripts/clang_check.py "$@" -std=c++14 -D__SYNTHESIS__ -Wno-unknown-pragmas -Wno-vla-extension \
          -I"$build/hls/$config" -Ihw/hls -Ihw/hls/shim; }

sed -n '/^#/p' hw/hls/ledger.txt > "$work/ledger"
for top in fetch load gemm vector store; do
  ir hw/hls/tsr_$top.cc "$work/$top.ll"
  hw/hls/scripts/ir_check.py tsr_hls_$top "$work/$top.ll"
  grep -q 'call.*_ZN3hls6stream' "$work/$top.ll" || { echo "$top reads no stream" >&2; exit 1; }
  check hw/hls/tsr_$top.cc
  check --ledger hw/hls/tsr_$top.cc | sed "s/^/$top: /" >> "$work/ledger"
  check --files hw/hls/tsr_$top.cc >> "$work/files"
done
[ -z "${TESSERA_GOLDEN_WRITE:-}" ] || cp "$work/ledger" hw/hls/ledger.txt
diff hw/hls/ledger.txt "$work/ledger"
# Prints the loops that want a smaller interval than their ports allow.
too_few() {
  awk '/wants II [0-9]/ {for (i = 1; i < NF; ++i) {if ($i == "II") wants = $(i + 1) + 0; if ($i == "allow") allow = $(i + 1) + 0}
         if (allow > wants) print}' "$1"
}
[ -z "$(too_few "$work/ledger")" ] || { echo "too few ports: $(too_few "$work/ledger")" >&2; exit 1; }
sed '/gemm_steps/s/allow 1/allow 2/' "$work/ledger" > "$work/fewer"
too_few "$work/fewer" | grep -q gemm_steps
# Every file of the twin belongs to a top that was read.
comm -13 <(sort -u "$work/files") <(ls hw/hls/*.h hw/hls/*.cc) > "$work/unread"
[ ! -s "$work/unread" ] || { echo "in no top: $(cat "$work/unread")" >&2; exit 1; }

# The check must find each of these: words of the finding | the source.
while IFS='|' read -r want source; do
  printf '%s\n' "$source" > "$work/bad.cc"
  ir "$work/bad.cc" "$work/bad.ll"
  if hw/hls/scripts/ir_check.py bad_top "$work/bad.ll" > "$work/said"; then echo "taken: $source" >&2; exit 1; fi
  grep -q "$want" "$work/said" || { echo "of $source it said:" >&2; cat "$work/said" >&2; exit 1; }
done <<'BAD'
recursion: .*again.* > .*bad_top|int bad_top(int n); int again(int n) { return bad_top(n - 1); } int bad_top(int n) { return n ? again(n) : 0; }
allocates by _Znam|int* bad_top(int n) { return new int[n]; }
through a pointer|int bad_top(int (*f)(int)) { return f(3); }
calls _Z9elsewherei, which has no body|int elsewhere(int n); int bad_top(int n) { return elsewhere(n); }
no constant size|int bad_top(int n) { int a[n]; a[0] = n; return a[0]; }
floating point|int bad_top(int n) { return (int)(n * 0.5); }
state outside the top|int count = 0; int bad_top() { return ++count; }
are called bad_top|int good_top() { return 0; }
BAD

# The same for the check of the syntax tree.
while IFS='|' read -r want source; do
  printf '%s\n' "$source" > "$work/bad.cc"
  if check "$work/bad.cc" > "$work/said"; then echo "taken: $source" >&2; exit 1; fi
  grep -q "bad.cc:1: $want" "$work/said" || { echo "of $source it said:" >&2; cat "$work/said" >&2; exit 1; }
done <<'BAD'
allocates|int* bad_top() { return new int; }
throws|int bad_top(int n) { if (n) throw n; return n; }
catches|int bad_top(int n) { try { return n; } catch (int m) { return m; } }
jumps|int bad_top(int n) { again: if (n) goto again; return n; }
takes memory for another type|int bad_top(long* n) { return *reinterpret_cast<int*>(n); }
takes memory for another type|int bad_top(long* n) { return *(int*)n; }
takes memory for another type|int bad_top() { long n[2]; n[0] = 1; return *(int*)n; }
takes memory for another type|template <int k> int f(long* n) { return *(int*)(n + k); } int bad_top(long* n) { return f<1>(n); }
casts const away|int bad_top(const int* n) { return *const_cast<int*>(n); }
has a lambda|int bad_top(int n) { auto f = [n] { return n; }; return f(); }
computes in floating point|int bad_top() { return 2.5; }
computes in floating point|int bad_top(int n) { float f = n; return f; }
keeps n from call to call|int bad_top() { static int n = 0; return ++n; }
is a union|union bad { int a; unsigned b; }; int bad_top(bad b) { return b.a; }
is virtual|struct bad { virtual int f() { return 1; } }; int bad_top() { bad b; return b.f(); }
copies by memcpy|extern "C" void* memcpy(void*, const void*, unsigned long); int bad_top(int* a) { memcpy(a, a + 4, 16); return 0; }
takes pointers in a struct and is not inlined: f|struct bad { int* p; }; int f(bad b) { return *b.p; } int bad_top(int* p) { bad b; b.p = p; return f(b); }
BAD

# The same for pragmas: words of the finding | the edit of a copy of gemm's top or steps.
cat hw/hls/tsr_gemm_steps.h hw/hls/tsr_gemm.cc > "$work/gemm.cc"
check "$work/gemm.cc" > /dev/null
while IFS='|' read -r want edit; do
  sed "$edit" "$work/gemm.cc" > "$work/bad.cc"
  cmp -s "$work/gemm.cc" "$work/bad.cc" && { echo "nothing changed: $edit" >&2; exit 1; }
  if check "$work/bad.cc" > "$work/said" 2>&1; then echo "taken: $edit" >&2; exit 1; fi
  grep -q "$want" "$work/said" || { echo "of $edit it said:" >&2; cat "$work/said" >&2; exit 1; }
done <<'BAD'
a false one gives wrong sums|s/distance = 4 dependent = true/false/
without a distance|s/distance = 4 dependent/dependent/
limit its bursts to 16|s/max_read_burst_length = 16/max_read_burst_length = 64/
limit its bursts to 16|s/max_read_burst_length = 16//
needs offset=slave and a bundle|s/offset = slave bundle = gemm//
argument places has the interfaces|/axis port = places/d
argument return has the interfaces|/port = return/d
has no argument place|s/axis port = places$/axis port = place/
ARRAY_PARTITION of port acc|s/ARRAY_RESHAPE variable = acc/ARRAY_PARTITION variable = acc/
a pragma on two lines|s/ap_memory port = wgt$/&\\/
RESOURCE is old|s/ap_memory port = wgt/&\n#pragma HLS RESOURCE variable = wgt core = RAM_2P/
STREAM without a depth|s/ap_memory port = wgt/&\n#pragma HLS STREAM variable = commands/
LATENCY is no pragma|s/ap_memory port = wgt/&\n#pragma HLS LATENCY min = 1/
loop without LOOP_TRIPCOUNT|s/#pragma HLS LOOP_TRIPCOUNT min = 1 max = 4096//
what does not block|s/done = done + 1;/if (commands.empty()) &/
BAD
echo "the checks find what they look for"
