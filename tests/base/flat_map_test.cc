// SPDX-License-Identifier: Apache-2.0
#include "base/flat_map.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/rng.h"

namespace tessera {
namespace {

// Random operations on both kinds of map give the same answers.
TEST(FlatMap, DoesWhatAMapDoes) {
  const uint64_t seed = 20261128;
  SCOPED_TRACE(seed);
  Rng rng(seed);
  FlatMap<int, std::string> flat;
  std::map<int, std::string> map;
  for (int step = 0; step < 20'000; ++step) {
    const int key = static_cast<int>(rng.Range(0, 63));
    const std::string value = std::to_string(step);
    switch (rng.Range(0, 4)) {
      case 0:
        flat[key] = value;
        map[key] = value;
        break;
      case 1:
        EXPECT_EQ(flat.emplace(key, value).second, map.emplace(key, value).second);
        break;
      case 2:
        flat.erase(key);
        map.erase(key);
        break;
      case 3:
        ASSERT_EQ(flat.contains(key), map.contains(key));
        if (map.contains(key)) {
          EXPECT_EQ(flat.at(key), map.at(key));
        }
        break;
      default:
        ASSERT_EQ(flat.size(), map.size());
        EXPECT_TRUE(
            std::equal(flat.begin(), flat.end(), map.begin(), [](const auto& a, const auto& b) {
              return a.first == b.first && a.second == b.second;
            }));
    }
  }
}

TEST(FlatMap, KeepsTheFirstOfEqualKeys) {
  const FlatMap<int, int> map{{3, 1}, {1, 2}, {3, 4}};
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map.at(3), 1);
  EXPECT_EQ(map.begin()->first, 1);
}

TEST(FlatSet, DoesWhatASetDoes) {
  const uint64_t seed = 20261129;
  SCOPED_TRACE(seed);
  Rng rng(seed);
  FlatSet<int> flat;
  std::set<int> set;
  for (int step = 0; step < 5'000; ++step) {
    const int key = static_cast<int>(rng.Range(0, 511));
    ASSERT_EQ(flat.contains(key), set.contains(key));
    flat.insert(key);
    set.insert(key);
    if (step % 100 == 0) {
      ASSERT_EQ(flat.size(), set.size());
      EXPECT_TRUE(std::equal(flat.begin(), flat.end(), set.begin()));
    }
  }
  const std::vector<int> more{1000, 7, 1000};
  flat.insert(more.begin(), more.end());
  EXPECT_TRUE(flat.contains(1000));
  EXPECT_EQ(flat, FlatSet<int>(flat));
}

}  // namespace
}  // namespace tessera
