// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the words for Slurm's commands and from them, and the files of tasks. Space:
// numbers alone and in rows; lines of jobs that are no arrays; answers that are cut anywhere. Not
// tested here: Slurm itself (pool_test).
#include <gtest/gtest.h>

#include <array>

#include "cluster/slurm_task.h"
#include "cluster/slurm_text.h"

namespace tessera::cluster::text_test {
namespace {

TEST(SlurmText, ArraysAreRowsOfNumbers) {
  const auto text = [](std::vector<int64_t> numbers) { return ArrayText(numbers); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({4}), "4");
  EXPECT_EQ(text({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

TEST(SlurmText, TheNumberOfAJobIsRead) {
  EXPECT_EQ(*ParseSubmitted("17\n"), 17);
  EXPECT_EQ(*ParseSubmitted("17;far\n"), 17);
  for (const char* text : {"", "Submitted batch job 17\n", "-3\n", "1x\n"}) {
    const auto job = ParseSubmitted(text);
    ASSERT_FALSE(job) << text;
    EXPECT_NE(job.error().message.find("no number of a job"), std::string::npos);
  }
}

TEST(SlurmText, TheQueueIsRead) {
  const std::set<std::pair<int64_t, int64_t>> two{{3, 0}, {12, 40}};
  EXPECT_EQ(ParseQueue("3 0\n12 40\n4 N/A\n\nslurm: 5\n"), two);
  EXPECT_TRUE(ParseQueue("").empty());
  EXPECT_TRUE(IsAway("squeue: error: Unable to contact slurm controller (connect failure)"));
  EXPECT_FALSE(IsAway("sbatch: error: invalid partition specified: none"));
}

TEST(SlurmText, AnAnswerIsReadWhole) {
  WorkEnd end;
  end.bytes = std::string("a\nb\0c", 5);
  end.crash = "ended by signal 6: x.cc:1";
  end.late = true;
  end.signal = 6;
  const std::string text = PrintEnd(end);
  const auto again = ParseEnd(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->bytes, end.bytes);
  EXPECT_EQ(again->crash, end.crash);
  EXPECT_TRUE(again->late);
  EXPECT_EQ(again->signal, 6);
  EXPECT_FALSE(again->unmade);
  // The words of the crash are counted; the result is the rest.
  for (size_t size = 0; size < text.size() - end.bytes.size(); ++size)
    EXPECT_FALSE(ParseEnd(text.substr(0, size))) << size;
  for (const char* wrong : {"tessera task 2 0 0 0\n", "tessera task 0 65 0 0\n",
                            "tessera task 0 0 0\n", "tessera task 0 0 0 0 0\n", "0 0 0 0\n"})
    EXPECT_FALSE(ParseEnd(wrong)) << wrong;
}

}  // namespace
}  // namespace tessera::cluster::text_test
