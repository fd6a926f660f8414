// SPDX-License-Identifier: Apache-2.0
//
// What is tested: parts. Space: every line of hw/parts.txt as this file reads it; files of limits,
// good ones and one for each diagnostic; machines that fit, and that lack each resource.
#include "hw/predict/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/file.h"

namespace tessera::hw::parts_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A file of limits in the folder of temporary files.
class LimitsFile {
 public:
  explicit LimitsFile(const std::string& text) { EXPECT_TRUE(WriteFile(path_, text)); }
  ~LimitsFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = ::testing::TempDir() + "/tessera_limits.json";
};

constexpr const char* kGood =
    R"({"name": "half", "family": "xc7", "lut": 26600, "ff": 53200, "dsp": 110, "bram36": 69.5})";

std::string Message(const std::string& text) {
  const LimitsFile file(text);
  const auto part = LoadPart(file.path());
  if (part) return "no error";
  EXPECT_THAT(part.error().message, HasSubstr(file.path()));
  return part.error().message;
}

std::string With(const std::string& old, const std::string& now) {
  std::string text = kGood;
  const size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), now);
}

TEST(Parts, AreThoseOfTheFile) {
  std::ifstream file("hw/parts.txt");
  ASSERT_TRUE(file) << "run this from the root of the tree";
  size_t n = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string what, name, family, speed;
    double lut = 0, ff = 0, dsp = 0, bram = 0;
    if (!(words >> what >> name) || what != "part") continue;
    words >> family >> speed >> lut >> ff >> dsp >> bram;
    const auto part = LoadPart(name);
    ASSERT_TRUE(part) << part.error().message;
    EXPECT_EQ(part->name, name);
    EXPECT_EQ(part->family, family);
    EXPECT_EQ(part->speed, speed);
    EXPECT_EQ(static_cast<double>(part->lut), lut);
    EXPECT_EQ(static_cast<double>(part->ff), ff);
    EXPECT_EQ(static_cast<double>(part->dsp), dsp);
    EXPECT_EQ(static_cast<double>(part->bram18), family == "ecp5" ? bram : 2 * bram);
    ++n;
  }
  EXPECT_EQ(n, KnownParts().size());
  EXPECT_GE(n, 6u);
}

TEST(Parts, AFileOfLimitsIsAPart) {
  const LimitsFile file(With("\"lut\"", "\"speed\": \"-2\", \"lut\""));
  const auto part = LoadPart(file.path());
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_EQ(part->name, "half");
  EXPECT_EQ(part->speed, "-2");
  EXPECT_EQ(part->lut, 26600);
  EXPECT_EQ(part->bram18, 139);
}

TEST(Parts, EachMistakeIsNamed) {
  const auto nothing = LoadPart("xc7z2");
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, Code::kNotFound);
  EXPECT_THAT(
      nothing.error().message,
      AllOf(HasSubstr("xc7z2"), HasSubstr("xc7z020, xc7a100t, xczu3eg"), HasSubstr(".json")));
  const auto absent = LoadPart("no/such.json");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, Code::kNotFound);

  EXPECT_THAT(Message("{"), HasSubstr("JSON"));
  EXPECT_THAT(Message("[]"), HasSubstr("object"));
  EXPECT_THAT(
      Message(With("\"ff\": 53200, ", "")),
      AllOf(HasSubstr("no \"ff\""), HasSubstr("name, family, speed, lut, ff, dsp, bram36")));
  EXPECT_THAT(Message(With("\"name\": \"half\"", "\"name\": 1")),
              AllOf(HasSubstr("\"name\" is 1"), HasSubstr("string")));
  EXPECT_THAT(Message(With("\"xc7\"", "\"xc9\"")),
              AllOf(HasSubstr("\"xc9\""), HasSubstr("xc7, xcup, ecp5")));
  EXPECT_THAT(Message(With("110", "110.5")),
              AllOf(HasSubstr("\"dsp\" is 110.5"), HasSubstr("whole")));
  EXPECT_THAT(Message(With("69.5", "69.25")), HasSubstr("or end in .5"));
  EXPECT_THAT(Message(With("26600", "\"many\"")), HasSubstr("\"lut\" is \"many\""));
  EXPECT_THAT(Message(With("26600", "-1")), AllOf(HasSubstr("\"lut\" is -1"), HasSubstr("0 to")));
  EXPECT_THAT(Message(With("26600", "1e12")), HasSubstr("0 to 1000000000"));
  EXPECT_THAT(Message(With("\"ff\"", "\"uram\": 3, \"ff\"")),
              AllOf(HasSubstr("unknown key"), HasSubstr("uram"), HasSubstr("bram36")));
}

TEST(Parts, WhatIsTooSmallIsNamed) {
  const Part part = LoadPart("xc7z020").value();
  const Silicon fits = {.lut = 53200, .ff = 106400, .dsp = 220, .bram18 = 280};
  EXPECT_TRUE(Fits(fits, part));
  Silicon more = fits;
  more.dsp = 221;
  EXPECT_EQ(Fits(more, part).error().message,
            "part xc7z020 is too small: the machine needs 221 DSP, it has 220 (1 too few)");
  more = fits;
  more.lut = 53200.5;
  more.bram18 = 281;
  const Error error = Fits(more, part).error();
  EXPECT_EQ(error.code, Code::kOutOfRange);
  EXPECT_THAT(error.message, AllOf(HasSubstr("53201 LUT, it has 53200 (1 too few)"),
                                   HasSubstr("140.5 BRAM36, it has 140 (0.5 too few)")));
  more = fits;
  more.ff = 110000;
  EXPECT_THAT(Fits(more, part).error().message, HasSubstr("110000 FF, it has 106400"));
}

}  // namespace
}  // namespace tessera::hw::parts_test
