// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the places of the buffers that a function allocates: a buffer that does not
// rotate has one place, to itself while other buffers exist beside it; a buffer that rotates takes
// the rest, in turn. Space: directed, by where the LOADs of the program write. Not tested here:
// RingAllocator (ring_test), whole schedules (steps_test).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/codegen/accel/emit/emit_func.h"
#include "compiler/ir/parse.h"
#include "compiler/target/tile_intrin.h"
#include "isa/encoding.h"

namespace tessera::codegen::accel::rings_test {
namespace {

// Configuration default: inp and out have 2048 tiles of 16 bytes, out's in 4 banks.
Result<std::vector<int64_t>> FilledBy(const std::string& body) {
  target::RegisterTileIntrinsics();
  const isa::Config config;
  TESSERA_ASSIGN(const ir::Func f, ir::ParseFunc("func f(x: i8[64] global) {\n" + body + "}\n"));
  const std::vector<BufferAddress> places{{true, 0, isa::Segment::kArena}};
  TESSERA_ASSIGN(const isa::ProgramImage image, EmitFunc(f, places, config));
  std::vector<int64_t> first;
  for (int64_t i = 0; i < image.insn_count(); ++i) {
    TESSERA_ASSIGN(const isa::Insn insn, isa::Decode(image.Word(i)));
    if (const auto* load = std::get_if<isa::Load>(&insn)) first.push_back(load->sram_base);
  }
  return first;
}

std::string Fill(const std::string& buffer) {
  return "eval tile.load(" + buffer + "[0, 0], x[0], 16, 16);\n";
}

TEST(Rings, WhatDoesNotRotateHasOnePlaceAndTheRestTakeTurns) {
  const auto first = FilledBy("alloc a: i8[10, 16] inp {\n" + Fill("a") +
                              "for i in [0, 2) {\n"
                              "  alloc b: i8[5, 16] inp {\n" +
                              Fill("b") + "alloc r: i8[7, 16] inp rotates {\n" + Fill("r") +
                              "} }\n"
                              "  alloc c: i8[3, 16] inp {\n" +
                              Fill("c") + "} } }\n");
  ASSERT_TRUE(first.has_value()) << first.error().message;
  // c never exists beside b and shares its place; r is behind all of them, at another place the
  // next time.
  EXPECT_EQ(*first, (std::vector<int64_t>{0, 10, 15, 10, 10, 22, 10}));
}

TEST(Rings, PlacesTakeWholeBanks) {
  const auto first =
      FilledBy("alloc s: i8[1, 16] out {\n" + Fill("s") + "alloc t: i8[513, 16] out {\n" +
               Fill("t") + "alloc r: i8[1, 16] out rotates {\n" + Fill("r") + "} } }\n");
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(*first, (std::vector<int64_t>{0, 512, 1536}));
}

TEST(Rings, MoreThanFitsTogetherIsRefused_bad) {
  const auto error = [](const std::string& body) {
    const auto first = FilledBy(body);
    return first ? std::string() : first.error().message;
  };
  EXPECT_EQ(error("alloc a: i8[2000, 16] inp {\n" + Fill("a") + "alloc b: i8[49, 16] inp {\n" +
                  Fill("b") + "} }\n"),
            "f: b: with what is in inp at the same time it takes 2049 tiles, 0 of 2048 are in use");
  EXPECT_EQ(error("alloc a: i8[2048, 16] inp {\n" + Fill("a") +
                  "alloc r: i8[1, 16] inp rotates {\n" + Fill("r") + "} }\n"),
            "f: r: 1 tiles of inp, 2048 of 2048 are in use");
}

}  // namespace
}  // namespace tessera::codegen::accel::rings_test
