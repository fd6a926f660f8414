// SPDX-License-Identifier: Apache-2.0
//
// What is tested: no source file types again a fact that the tables of isa/ own: record layouts,
// field limits, banks, sizes of tiles, orders of enumerators, opcodes. Space: the C++ and
// SystemVerilog sources that know instructions, and the random generator; not the tables, nor
// isa/semantics and tests, which are a second derivation by hand. An exception that is no longer
// needed fails. Not tested: literals of another form.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// A fact that the tables own, and the pattern of code that types it again.
struct Owned {
  const char* what;
  const char* pattern;
};
const Owned kOwned[] = {
    {"the layout of a record (isa/memories.def)",
     R"(\b[489] \* \(?[A-Za-z_.:]*([bB]lock|channels))"},
    {"the greatest value of a field (isa/insns.def; isa::GreatestOf)",
     R"(\b(65535|4095|2047|1048575|16777215|0x[fF]{4,5}|0x7fffffff)\b)"},
    {"the width of an index or a size (isa/insns.def)", R"(\b1\}? ?<< ?(11|12|16|20|24)\b)"},
    {"the range of a shift (isa/insns.def)", R"(-31, 31\b)"},
    {"a number of banks (isa/memories.def)", R"([bB]anks ?= ?[2-9]|% 4\b|Depth[^;]* / 4\b)"},
    {"the shape of a tile (isa/memories.def)",
     R"(\bblock_(in|out)(\(\))? \* [a-z_.]*block_(in|out))"},
    {"the order of enumerators (isa/enums.def)",
     R"([<>]=? *tsr_pkg::(ALU|ROUND|VMEM|MEM|OP|UNIT)_)"},
    {"an opcode (isa/insns.def)", R"(opcode[a-z_]*(\([a-z_]*\))? [=!]= [0-9])"},
};

// A line where such text means something else, or is the one place that derives the fact.
struct Exception {
  const char* path;
  const char* text;  // what the line contains
  const char* reason;
};
const Exception kExceptions[] = {
    {"isa/access.h", "kMaxSteps", "steps that are followed, no field"},
    {"isa/image.h", "kMaxSourceRanges", "a limit of the file format"},
    {"isa/config_json.cc", "kMostBytes", "a limit of the file format"},
    {"isa/check/follow.cc", "kMaxCells", "memory of the checker"},
    {"sim/xrt/card.cc", "kLargestConfiguration", "a limit of the file format"},
    {"sim/rtl/machine.cc", "teller_->Tokens", "halves of the wire trace_moves_o"},
    {"sim/cycle/ddr3_channel.h", "uint64_t banks", "banks of a memory chip"},
    {"hw/rtl/mem/tsr_banked_mem.sv", "parameter int Banks",
     "a default; instances take the package's"},
};

bool Looked(const std::string& path) {
  static const char* const kFolders[] = {"isa/",
                                         "jit/",
                                         "sim/",
                                         "hw/rtl/",
                                         "hw/hls/",
                                         "compiler/codegen/accel/",
                                         "compiler/lower/accel/",
                                         "compiler/schedule/accel/"};
  static const char* const kLeftOut[] = {"isa/semantics/",  // the second derivation
                                         "hw/rtl/gen/",     // generated from the tables
                                         "hw/hls/gen/",
                                         "hw/rtl/common/",  // digests are over 4-byte words
                                         "sim/trace/",     "sim/dram"};
  if (!path.ends_with(".cc") && !path.ends_with(".h") && !path.ends_with(".sv")) return false;
  for (const char* folder : kLeftOut) {
    if (path.starts_with(folder)) return false;
  }
  for (const char* folder : kFolders) {
    if (path.starts_with(folder)) return true;
  }
  return false;
}

std::string WithoutComment(const std::string& line) { return line.substr(0, line.find("//")); }

TEST(TypedOnce, WhatTheTablesOwn) {
  std::vector<std::regex> patterns;
  for (const Owned& owned : kOwned) patterns.emplace_back(owned.pattern);
  std::set<size_t> used;
  int files = 0;
  for (const char* top : {"isa", "jit", "sim", "hw", "compiler"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      const std::string path = entry.path().generic_string();
      if (!entry.is_regular_file() || !Looked(path)) continue;
      ++files;
      std::ifstream in(entry.path());
      int number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        const std::string code = WithoutComment(line);
        for (size_t p = 0; p < patterns.size(); ++p) {
          if (!std::regex_search(code, patterns[p])) continue;
          bool excepted = false;
          for (size_t e = 0; e < std::size(kExceptions); ++e) {
            if (path != kExceptions[e].path || line.find(kExceptions[e].text) == line.npos)
              continue;
            excepted = true;
            used.insert(e);
          }
          EXPECT_TRUE(excepted) << path << ":" << number << " types " << kOwned[p].what
                                << " again: " << line;
        }
      }
    }
  }
  EXPECT_GT(files, 100);
  for (size_t e = 0; e < std::size(kExceptions); ++e) {
    EXPECT_TRUE(used.contains(e)) << kExceptions[e].path << " no longer has " << kExceptions[e].text
                                  << ": take it out of kExceptions";
  }
}

// Each pattern finds the code that it is meant to find.
TEST(TypedOnce, SeesWhatItLooksFor) {
  const char* const kTyped[] = {"for (int i = 0; i < 9 * block; ++i)",
                                "constexpr int64_t kLimit = 65535;",
                                "if (tile >= int64_t{1} << 20) return;",
                                "rng.Range(-31, 31)",
                                "constexpr int kBanks = 4;",
                                "bytes = c.block_out * c.block_in;",
                                "bad = op > tsr_pkg::ALU_MOV;",
                                "if (opcode == 7) return;"};
  for (size_t p = 0; p < std::size(kOwned); ++p) {
    EXPECT_TRUE(std::regex_search(std::string(kTyped[p]), std::regex(kOwned[p].pattern)))
        << kOwned[p].what;
  }
}

}  // namespace
