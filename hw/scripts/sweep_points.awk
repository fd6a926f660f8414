# SPDX-License-Identifier: Apache-2.0
#
# Prints the configurations that hw/scripts/sweep.sh synthesises, a line each, in its order:
#   NAME FAMILY batch block uop_kib wgt_kib inp_kib acc_kib out_kib prm_depth bus_bits queue_depth token_depth vector_passes
#   tab_bytes array_passes depthwise
#
# Dimension d of point n is the fraction of n * sqrt(the prime d): the points fill the space evenly, however many there are
# (Richtmyer's sequence). The arrays come from a list, in which large ones, that take minutes, are rarer and later; the first
# comes early. Half of the points have as many OUT tiles as ACC tiles, which VTA's encoding needs. UltraScale+, which differs
# little from the first family, has fewer points: small arrays with each width of the bus, and a large one. Machines with half
# the lanes of VECTOR, without TAB, with half the columns of the array or without DEPTHWISE, h01 to h09, are few: what they lack
# is counted in lanes and columns.
function level(d, low, high,   x) {  # a whole number from low to high
  x = n * sqrt(prime[d])
  return low + int((x - int(x)) * (high - low + 1))
}
function log2(v,   bits) {
  for (bits = 0; v > 1; v /= 2) bits++
  return bits
}
# KiB of a memory whose tiles have that many bytes: 2^4 to 2^|most| tiles, but 1 to 256 KiB.
function kib(d, bytes, most,   low, high) {
  low = 4 + log2(bytes) - 10
  high = most + log2(bytes) - 10
  return 2 ^ level(d, low > 0 ? low : 0, high < 8 ? high : 8)
}
# Point n, for one family or both.
function point(   side, batch, block, lanes, acc, out, values) {
  if (n in printed) return
  printed[n] = 1
  split(shape[n], side, "x")
  batch = side[1]
  block = side[2]
  lanes = batch * block
  acc = kib(4, 4 * lanes, 12)
  out = kib(5, lanes, 12)
  if (level(10, 0, 1) && acc >= 4) out = acc / 4
  values = sprintf("%d %d %d %d %d %d %d", batch, block, kib(1, 8, 13), kib(2, block * block, 13), kib(3, lanes, 13), acc, out)
  values = values sprintf(" %d %d %d %d", 2 ^ level(6, 1, 8), 2 ^ level(7, 6, 9), 2 ^ level(8, 1, 8), 2 ^ level(9, 1, 10) - 1)
  printf "s%02d xc7 %s 1 256 1 1\n", n, values
  if (n in ultra) printf "s%02d xcup %s 1 256 1 1\n", n, values
}
BEGIN {
  split("2 3 5 7 11 13 17 19 23 29", prime, " ")
  shapes = "1x4 1x8 2x4 1x16 4x4 1x4 2x8 1x8 2x4 1x16 1x4 4x4 1x8 4x8 2x4 1x8 1x4 2x8 1x16 4x4 1x8 2x16 1x4 2x4"
  shapes = shapes " 1x16 1x8 2x8 4x4 1x4 1x32 1x16 2x4 4x8 1x8 1x4 2x8 2x16 4x4 1x16 2x4 1x8 4x16 1x4 2x8"
  shapes = shapes " 1x32 1x8 4x4 4x8 1x16 2x4 2x16 1x8 1x4 2x8 2x32 1x16 4x4 1x8 1x32 2x4 4x8 1x16 2x16 1x8"
  count = split(shapes, shape, " ")
  few = split("1 2 3 4 5 6 13 15 21 29 31 38 46 47 53 63", first, " ")
  for (e = 1; e <= few; e++) ultra[first[e]] = 1
  early = split("1 2 3 4 5 6 7 8 9 30", first, " ")
  for (e = 1; e <= early; e++) {
    n = first[e]
    point()
  }
  for (n = 1; n <= count; n++) point()
  print "h01 xc7 1 16 32 256 32 128 32 64 64 32 255 2 256 1 1"
  print "h02 xc7 1 8 32 64 32 64 16 32 64 32 255 2 0 1 1"
  print "h03 xc7 2 4 8 16 8 32 8 16 128 16 255 2 256 1 1"
  print "h04 xc7 1 4 4 8 4 16 4 32 64 16 127 1 0 1 1"
  print "h05 xc7 1 16 32 256 32 128 32 64 64 32 255 1 256 2 1"
  print "h06 xc7 1 16 32 256 32 128 32 64 64 32 255 2 256 2 1"
  print "h07 xc7 1 16 32 256 32 128 32 64 64 32 255 1 256 1 0"
  print "h08 xc7 1 8 32 64 32 64 16 32 64 32 255 2 0 1 0"
  print "h09 xc7 1 4 1 4 2 4 1 64 64 32 255 1 256 1 0"
}
