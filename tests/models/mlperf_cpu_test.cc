// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the four MLPerf Tiny networks on the host give the integers of TFLite's reference
// kernels. Space: 25 inputs a network (20 of seeded random bytes, 5 structured), the result of
// every operator without fusion, and with fusion the output and every result that remains. Not
// tested here: other devices (mlperf_func_test, mlperf_rtl_test), other operators
// (tflite_ops_test).
#include "tests/models/mlperf_cases.h"

namespace tessera::test::mlperf_cpu_test {
namespace {

class MlperfCpu : public MlperfTest {};

TEST_P(MlperfCpu, EveryOperator) {
  ExpectGolden(GetParam(), {.device = "cpu", .fuse = false, .observe = true});
}
TEST_P(MlperfCpu, Fused) { ExpectGolden(GetParam(), {.device = "cpu"}); }

// The comparison itself reports a wrong golden with its place, whether it knows the golden's bytes
// or only the checksum.
TEST_P(MlperfCpu, ADifferenceIsTold) {
  Result<Golden> golden = ReadGolden(GetParam());
  ASSERT_TRUE(golden) << golden.error().message;
  const std::string last = golden->operators.back().name, first = golden->operators.front().name;
  golden->runs.resize(3);
  golden->runs[1].crc.back() ^= 1;
  const uint8_t right = golden->runs[1].bytes.back()[0]++;
  golden->runs[2].crc.front() ^= 1;
  const Result<Comparison> comparison =
      CompareNetwork(*golden, {.device = "cpu", .fuse = false, .observe = true});
  ASSERT_TRUE(comparison) << comparison.error().message;
  ASSERT_EQ(comparison->different.size(), 2u);
  const std::string start = GetParam() + " on cpu, input '";
  EXPECT_EQ(comparison->different[0],
            fmt::format("{}random 2', {}: first at [0, 0]: {} instead of {}", start, last,
                        static_cast<int8_t>(right), static_cast<int8_t>(right + 1)));
  EXPECT_EQ(comparison->different[1],
            fmt::format("{}random 3', {}: CRC {:016x} instead of {:016x}", start, first,
                        golden->runs[2].crc.front() ^ 1, golden->runs[2].crc.front()));
}

TEST_P(MlperfCpu, AnotherVersionOfTheModelIsRefused) {
  Result<Golden> golden = ReadGolden(GetParam());
  ASSERT_TRUE(golden) << golden.error().message;
  golden->file_crc ^= 1;
  const Result<Comparison> comparison = CompareNetwork(*golden, {.device = "cpu"});
  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().message,
            fmt::format("{}: CRC {:016x}, the goldens are of {:016x}: another version",
                        ModelPath(golden->file), golden->file_crc ^ 1, golden->file_crc));
}

INSTANTIATE_TEST_SUITE_P(Networks, MlperfCpu, testing::ValuesIn(kNetworks), NetworkName);

}  // namespace
}  // namespace tessera::test::mlperf_cpu_test
