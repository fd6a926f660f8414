// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the four MLPerf Tiny networks on the HLS twin give the integers of TFLite's
// reference kernels. Space: 25 inputs a network, the result of every operator without fusion, and
// the output as it is compiled by default. Not tested here: other devices (mlperf_func_test).
#include "tests/models/mlperf_cases.h"

namespace tessera::test::mlperf_hls_test {
namespace {

class MlperfHls : public MlperfTest {};

TEST_P(MlperfHls, EveryOperator) {
  ExpectGolden(GetParam(), {.device = "hls", .fuse = false, .observe = true});
}
TEST_P(MlperfHls, AsCompiled) { ExpectGolden(GetParam(), {.device = "hls"}); }

INSTANTIATE_TEST_SUITE_P(Networks, MlperfHls, testing::ValuesIn(kNetworks), NetworkName);

}  // namespace
}  // namespace tessera::test::mlperf_hls_test
