// SPDX-License-Identifier: Apache-2.0
//
// What is tested: calls on a thread of their own return their results, in order; a call that does
// not return costs the caller its time limit once, and ends no process. Space: written cases. Not
// tested here: XRT's calls (xrt_test.cc).
#include "runtime/drivers/xrt/call_thread.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace tessera::call_thread_test {
namespace {

using std::chrono::milliseconds;

TEST(CallThreadTest, ReturnsWhatTheCallReturns) {
  CallThread thread;
  int sum = 0;
  std::thread::id id;
  for (int i = 1; i <= 100; ++i) {
    ASSERT_TRUE(thread.Run(
        [&, i]() -> Status {
          sum += i;
          id = std::this_thread::get_id();
          return {};
        },
        milliseconds(10000), [] { return std::string("adding"); }));
  }
  EXPECT_EQ(sum, 5050);
  EXPECT_NE(id, std::this_thread::get_id());
  const Status failed = thread.Run([]() -> Status { return Fail(Code::kDataLoss, "no"); },
                                   milliseconds(10000), [] { return std::string("failing"); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no");
  EXPECT_FALSE(thread.stuck());
}

TEST(CallThreadTest, ACallThatDoesNotReturnIsLeftAlone) {
  const auto gate = std::make_shared<std::promise<void>>();
  const auto ended = std::make_shared<std::promise<void>>();
  {
    CallThread thread;
    const Status late = thread.Run(
        [gate, ended]() -> Status {
          gate->get_future().wait();
          ended->set_value();
          return {};
        },
        milliseconds(50), [] { return std::string("reading register 0x014"); });
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Code::kTimeout);
    EXPECT_EQ(late.error().message, "reading register 0x014 has not returned in 50 ms");
    EXPECT_TRUE(thread.stuck());
    const Status more = thread.Run([]() -> Status { return {}; }, milliseconds(10000),
                                   [] { return std::string("more"); });
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().message,
              "reading register 0x014 did not return earlier, so nothing more is tried");
  }
  gate->set_value();
  EXPECT_EQ(ended->get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

}  // namespace
}  // namespace tessera::call_thread_test
