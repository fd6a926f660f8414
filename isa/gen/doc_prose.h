// SPDX-License-Identifier: Apache-2.0
//
// The text of docs/isa.md that is not in the tables, in Markdown. Used by isa_doc.cc only.
#ifndef TESSERA_ISA_GEN_DOC_PROSE_H_
#define TESSERA_ISA_GEN_DOC_PROSE_H_

#include <string_view>

namespace tessera::isa {

inline constexpr std::string_view kIntroduction = R"(
This page is printed by `isa_gen doc` from the tables in `isa/`; edit those, or `isa/gen/doc_prose.h`, and run
`cmake --build build -t regenerate`. What an instruction does, executable and to the last bit, is in
`isa/semantics/`; why it is so, and what is ordered with what, in [rationale/isa.md](rationale/isa.md).

The machine has four units, LOAD, GEMM, VECTOR and STORE. Each takes its instructions in order from a queue of its
own. Units meet in scratchpads, and tell each other through *tokens* when that is safe: an instruction *pops* tokens
before it starts and *pushes* tokens when everything it and its predecessors in its unit wrote can be seen. Nothing
else orders two units.

A program runs in one of two profiles, chosen at start. Profile `tessera` is what this project's compiler emits: one
encoding for all configurations. Profile `vta` is the published encoding of VTA, whose field widths follow the
configuration.

Words used here: an *element* is one number; a *tile* is what one scratchpad address holds; all numbers are
little-endian and signed numbers two's complement; bit 0 is the lowest bit of the first byte. `x[a:b]` is from bit a down to bit b.
)";

inline constexpr std::string_view kMemoryProse = R"(
All tiles are row-major. VECTOR reads and writes INP tiles as if they were OUT tiles. Bank conflicts cost cycles, never
values. Where the high bits of a tile's index choose its bank, the banks are quarters of the memory.

TAB holds one table, a byte for each int8 value: byte v + 128 of the 256 is the result for v. Any function from int8 to
int8 fits: a sigmoid, tanh or GELU between two scales. Every lane of VECTOR reads a byte of it in each cycle.
)";

inline constexpr std::string_view kTessera = R"(
An instruction is 256 bits, a micro-op 64. Bits 3..0 are the opcode, 7..4 the units to pop a token from, 11..8 the units
to push a token to (bit 0 LOAD, 1 GEMM, 2 VECTOR, 3 STORE); neither may name the instruction's own unit. A bit
that no field names is 0. What is wrong with an instruction stops the machine with a code of `MachineError`.

Indices are `base + u + o*out + i*in` in wide arithmetic and never wrap; one past the end of its scratchpad is
`sram_range`. An iteration count of 0 does nothing. Device memory is addressed by a segment (base and size in
registers) and a byte offset of any alignment; an access past the segment is `dram_range`. Programs use a segment for
what enumeration Segment says; to the machine they are all the same.

**rescale(a, M, s, round)** multiplies a 32-bit number by M * 2^(s - 31). With L = max(s, 0), R = max(-s, 0) and
P = int32(a << L) * M, an exact 63-bit product:

- `tflite` rounds twice: t = floor(P / 2^31 + 1/2), then t / 2^R to the nearest, halves away from zero;
- `even` rounds P / 2^(31 + R) once, halves to even;
- `halfup` rounds P / 2^(31 + R) once, halves upwards.

Sums before it wrap modulo 2^32. After it, an int8 result is `clamp(y + out_zero, lo, hi)` without overflow; an ACC
result is y.
)";

// Text about one instruction of profile tessera that the tables do not hold.
struct InsnProse {
  std::string_view insn;
  std::string_view text;
};
inline constexpr InsnProse kInsnProse[] = {
    {"Load",
     R"(The source counts from the first tile that is no pad. Elements of a pad, and of a tile past `x_bytes`, are
`pad_value` (sign-extended in ACC). A box with an empty padded side does nothing; sizes of 0 with pads write pads only.
)"},
    {"Store",
     R"(The first `x_bytes` bytes of each tile are written. Its tokens are pushed when the memory has confirmed the write.
)"},
    {"Gemm",
     R"(For each row b of the batch and output channel c, `acc[D][b][c]` grows by the sum over k of
`inp[S][b][k] * wgt[W][c][k]`, modulo 2^32. The first micro-op of a reduction has `init`
and so no pass clears ACC.
)"},
    {"Depthwise",
     R"(A channel meets only its own taps: ACC element (b, c) grows by INP element (b, c) of each window tile times row c,
column `tap` of the WGT tile.
)"},
    {"Requant",
     R"(`bias` is 0 with `per_tensor`. An int8 source may be its own destination. With
`clear`, an ACC source tile becomes zero before the result is written; a later iteration that reads it finds that.
With `table` the zero point and the clamp come first; the byte that TAB has for the result t is written in its place. The
instruction reads TAB as it is when its token has come, so the next table may be loaded only when the instruction has
pushed one to LOAD. A lookup costs no cycle.
)"},
    {"Add",
     R"(Two int8 tensors of different scales: the one of the smaller scale has first gone to ACC through a per-tensor Requant
with `src_shift` 20, the other is added here with `src_shift` 19. `table` looks the sum up, as in Requant.
)"},
    {"Alu",
     R"(Pooling is a reduction over a window: `red_out` and `red_in` are its sides. Without `init` the ACC tile takes
part in the reduction.
)"},
    {"Sync", ""},
    {"Finish",
     R"(Both masks are 0. A stream without it is `no_finish`. Tokens left over set STATUS.leftover.
)"},
};

inline constexpr std::string_view kVta = R"(
An instruction is 128 bits, a micro-op 32. Fields follow each other from bit 0 as C bit-fields do: one that would
straddle a 64-bit word starts at the next. The bits below are those of `default` (also `pynq`, `ultra96`, `batch4`);
`tiny` has narrower fields, so that some of Gemm's and Alu's factors start in the lower word. A configuration in which
something does not fit 128 or 32 bits (`wide`) has no profile `vta`.

Bits that no field names are ignored. Three stages, LOAD < COMPUTE < STORE, talk to their neighbours through flags;
COMPUTE is GEMM and VECTOR, one instruction at a time. LOAD takes loads of inp and wgt, STORE takes stores, COMPUTE
everything else. LOAD has no stage before it and STORE none after it: their flags that way are `illegal_field`.

- Sizes and addresses in device memory are tiles, counted from the base of the segment whose number is the memory id; a
  segment of size 0 has no limit. Pads are zero, in every memory.
- Every write to ACC also writes the low bytes to OUT, so a store always sees the accumulator's low bytes.
- `reset_reg` makes Gemm write zeros; Alu ignores it. `acc8` loads widen int8 with sign.
- Indices past a depth are `sram_range`. Tokens left over at the end set STATUS.leftover.
)";

inline constexpr std::string_view kText = R"(
`tessera asm` and `tessera disasm` turn this text into a program image and back. Fields that are 0 are left out.

```
.profile tessera
.config default
.segment uops
  uop init=1
.segment constants 256
  .zero 256
.segment input 16
.segment output 16
.code
  .source 0 "fc"
  load memory=uop segment=uops x_bytes=8 x_size=1 y_size=1 z_size=1
  load memory=wgt segment=constants x_bytes=256 x_size=1 y_size=1 z_size=1
  load push=gemm memory=inp segment=input x_bytes=16 x_size=1 y_size=1 z_size=1
  gemm pop=load push=vector uop_count=1 iter_out=1 iter_in=1
  requant pop=gemm push=store dst_mem=out per_tensor=1 multiplier=1073741824 shift=-7 lo=-128 hi=127 iter_out=1 iter_in=1
  store pop=vector segment=output x_bytes=16 x_size=1 y_size=1 z_size=1
  .end
  finish
```
)";

inline constexpr std::string_view kRegisters = R"(
AXI4-Lite, 32-bit words in a window of 4 KiB; offsets are bytes. Bits without a name read 0 and ignore writes.
)";

}  // namespace tessera::isa

#endif  // TESSERA_ISA_GEN_DOC_PROSE_H_
