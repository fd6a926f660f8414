// SPDX-License-Identifier: Apache-2.0
//
// The null driver, which executes nothing: it is tested for memory only, and for saying so.
// OpenDevice's own errors are tested here too.
#include "tests/cts/cts.h"

namespace tessera::cts {

std::vector<Backend> Backends() { return {{.driver = "null", .config = "default"}}; }

namespace {

TEST(NullDevice, RefusesToExecuteAndToTrace) {
  auto device = OpenDevice("null", ConfigNamed("default"), {.memory_bytes = kMemoryBytes});
  ASSERT_TRUE(device);
  Launch launch;
  launch.insn_count = 1;
  ExpectError((*device)->Submit(launch), Code::kUnsupported, {"func", "rtl"});
  ExpectError((*device)->Run(launch), Code::kUnsupported, {});
  std::vector<TraceEntry> trace;
  ExpectError((*device)->SetTrace(&trace), Code::kUnsupported, {"trace"});
  EXPECT_TRUE((*device)->SetTrace(nullptr));
}

TEST(OpenDevice, ListsTheDriversWhenThereIsNoSuchOne) {
  ExpectError(OpenDevice("fpga9000", ConfigNamed("default")), Code::kNotFound,
              {"fpga9000", "null", "func", "rtl"});
}

}  // namespace
}  // namespace tessera::cts
