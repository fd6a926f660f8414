// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the four MLPerf Tiny networks on the accelerator's RTL give the output of
// TFLite's reference kernels. Space: 25 inputs a network (20 of seeded random bytes, 5 structured),
// the network as it is compiled by default, the output and every result that a layer leaves in
// memory. Not tested here: results that fusion hides (mlperf_func_test).
#include "tests/models/mlperf_cases.h"

namespace tessera::test::mlperf_rtl_test {
namespace {

class MlperfRtl : public MlperfTest {};

TEST_P(MlperfRtl, AsCompiled) { ExpectGolden(GetParam(), {.device = "rtl"}); }

INSTANTIATE_TEST_SUITE_P(Networks, MlperfRtl, testing::ValuesIn(kNetworks), NetworkName);

}  // namespace
}  // namespace tessera::test::mlperf_rtl_test
