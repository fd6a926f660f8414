// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the four MLPerf Tiny networks on the functional simulator give the integers of
// TFLite's reference kernels. Space: 25 inputs a network (20 of seeded random bytes, 5 structured),
// the result of every operator without fusion, with fusion every result that remains when all are
// stored, and the output as compiled by default. Not tested here: other devices (mlperf_cpu_test,
// mlperf_rtl_test), other operators (tflite_ops_test).
#include "tests/models/mlperf_cases.h"

namespace tessera::test::mlperf_func_test {
namespace {

class MlperfFunc : public MlperfTest {};

TEST_P(MlperfFunc, EveryOperator) {
  ExpectGolden(GetParam(), {.device = "func", .fuse = false, .observe = true});
}
TEST_P(MlperfFunc, FusedObserved) { ExpectGolden(GetParam(), {.device = "func", .observe = true}); }
TEST_P(MlperfFunc, AsCompiled) { ExpectGolden(GetParam(), {.device = "func"}); }

INSTANTIATE_TEST_SUITE_P(Networks, MlperfFunc, testing::ValuesIn(kNetworks), NetworkName);

}  // namespace
}  // namespace tessera::test::mlperf_func_test
