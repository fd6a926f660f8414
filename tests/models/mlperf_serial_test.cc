// SPDX-License-Identifier: Apache-2.0
//
// What is tested: keyword spotting on the whole top of the ULX3S, over its serial line and in the
// memory that the board has, gives the output of TFLite's reference kernels. Space: the first two
// of the golden inputs, because the program takes seconds on the simulated line. Not tested here:
// other networks, faults of the line (serial_board_test).
#include <cstdlib>

#include "runtime/board/board.h"
#include "tests/cts/board/ulx3s_process.h"
#include "tests/models/mlperf_cases.h"

namespace tessera::test::mlperf_serial_test {
namespace {

TEST(MlperfSerial, KeywordSpottingFitsTheBoardAndIsExact) {
  const std::string missing = MissingModels();
  if (!missing.empty()) GTEST_SKIP() << missing;
  const auto description = ReadBoard("boards/ulx3s");
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_EQ(description->config, kUlx3sConfig);
  const auto board = StartUlx3s();
  ASSERT_TRUE(board) << board.error().message;
  ASSERT_EQ(setenv("TESSERA_SERIAL", board->port.c_str(), 1), 0);
  const auto golden = ReadGolden("keyword_spotting");
  ASSERT_TRUE(golden) << golden.error().message;
  const auto comparison = CompareNetwork(*golden, {.device = "serial",
                                                   .config = description->config,
                                                   .memory_bytes = description->memory_bytes,
                                                   .most_inputs = 2});
  unsetenv("TESSERA_SERIAL");
  ASSERT_TRUE(comparison) << comparison.error().message;
  for (const std::string& text : comparison->different) ADD_FAILURE() << text;
  EXPECT_EQ(comparison->inputs, 2);
  EXPECT_TRUE(comparison->compared.contains(golden->operators.back().name));
}

}  // namespace
}  // namespace tessera::test::mlperf_serial_test
