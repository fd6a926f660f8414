// SPDX-License-Identifier: Apache-2.0
//
// Printing for all verbs: aligned tables, numbers with separators, a progress line, JSON files.
#ifndef TESSERA_TOOLS_OUTPUT_H_
#define TESSERA_TOOLS_OUTPUT_H_

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::tools {

using Json = nlohmann::ordered_json;

// 1234567 as "1,234,567".
std::string Grouped(int64_t value);

// Rows of equal length under a header; columns as wide as their widest cell. |align|: 'l' or 'r'
// for each column. Makes cells Legible (base/text.h), so a row stays one line.
std::string Table(const std::vector<std::string>& header, const std::string& align,
                  std::vector<std::vector<std::string>> rows);

// Writes |json| to |path| ("-": standard output; "": nowhere). Bytes of names that are not UTF-8
// become U+FFFD.
Status WriteJson(const std::string& path, const Json& json);

// Checks that WriteJson can begin, before long work.
//   errors  kUnavailable  it cannot
Status CheckJson(const std::string& path);

// One line on a terminal that shows how far long work is. Silent in the first two seconds, and when
// standard error is not a terminal.
class Progress {
 public:
  explicit Progress(std::string what)
      : what_(std::move(what)), start_(SteadyClock::now()), last_(start_) {}
  ~Progress();
  void Update(int64_t done, int64_t total);

 private:
  using SteadyClock = std::chrono::steady_clock;
  std::string what_;
  SteadyClock::time_point start_, last_;
  bool shown_ = false;
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_OUTPUT_H_
