// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `tessera trace` on a real model: the form that docs/timelines.md gives, layers
// that add up to the run, slices whose counters add up to the machine's, arrows that begin and end
// in the slices they join, counters in range; a program image; the messages for input that does not
// fit and for a full disk. Expected values: `compare --json` on the same model, the assembly text
// of each slice. Space: the Fashion-MNIST model on rtl. Not tested here: the events of the device
// (tests/sim/trace), how a viewer shows them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "tests/tools/command.h"
#include "tests/tools/fashion_cycles.h"

namespace tessera::test::trace_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr int kUnits = 4;
constexpr const char* kUnitNames[] = {"load", "gemm", "vector", "store"};

json ReadJson(const std::string& path) {
  const auto bytes = ReadFile(path);
  return bytes ? json::parse(bytes->begin(), bytes->end(), nullptr, false) : json();
}

// The trace of the model, made once for all tests.
const json& Trace() {
  static const json trace = [] {
    const std::string path = TempPath("net.trace.json");
    const CommandResult r = Tessera(fmt::format("trace {} -o {}", kModel, path));
    EXPECT_EQ(r.code, 0) << r.output;
    EXPECT_THAT(r.output, HasSubstr(FashionCyclesText() + " cycles"));
    EXPECT_THAT(r.output, HasSubstr("ui.perfetto.dev"));
    return ReadJson(path);
  }();
  return trace;
}

bool IsSlice(const json& e) { return e["ph"] == "X"; }
int UnitOf(const json& e) {  // unit of a slice of instructions; -1: another track
  const int thread = e["tid"];
  return thread >= 2 && thread % 2 == 0 ? thread / 2 - 1 : -1;
}

TEST(TraceCommand, HasTheFormThatIsDocumented) {
  const json& trace = Trace();
  ASSERT_TRUE(trace.is_object());
  const json& data = trace["otherData"];
  EXPECT_EQ(data["schema"], "tessera-trace-1");
  EXPECT_EQ(data["complete"], true);
  EXPECT_EQ(data["cycles"], FashionCycles());
  EXPECT_EQ(data["config"], "default");
  EXPECT_EQ(data["device"], "rtl");
  std::map<int, std::string> tracks;
  for (const json& e : trace["traceEvents"]) {
    ASSERT_TRUE(e.contains("ph") && e.contains("pid")) << e;
    const std::string kind = e["ph"];
    ASSERT_THAT((std::set<std::string>{"M", "X", "s", "f", "C"}), ::testing::Contains(kind)) << e;
    if (e["name"] == "thread_name") tracks[e["tid"]] = e["args"]["name"];
    if (kind == "M") continue;
    EXPECT_GE(e["ts"].get<int64_t>(), 0) << e;
    EXPECT_LE(e["ts"].get<int64_t>() + e.value("dur", 0), FashionCycles()) << e;
  }
  const std::map<int, std::string> expected{
      {1, "layers"}, {2, "LOAD"},         {3, "LOAD waits"}, {4, "GEMM"},       {5, "GEMM waits"},
      {6, "VECTOR"}, {7, "VECTOR waits"}, {8, "STORE"},      {9, "STORE waits"}};
  EXPECT_EQ(tracks, expected);
}

TEST(TraceCommand, LayersAddUpToTheRunAndAreThoseOfCompare) {
  const std::string file = TempPath("compare.json");
  const CommandResult r = Tessera(fmt::format(
      "compare {} --devices cpu,rtl --input {} --first 1 --json {}", kModel, kImages, file));
  ASSERT_EQ(r.code, 0) << r.output;
  std::map<std::string, int64_t> expected, got;
  const json compared = ReadJson(file);
  for (const json& layer : compared["layers"]) {
    if (layer["cycles"] != 0) expected[layer["name"]] = layer["cycles"];
  }
  int64_t at = 0;
  for (const json& e : Trace()["traceEvents"]) {
    if (!IsSlice(e) || e["tid"] != 1) continue;
    EXPECT_EQ(e["ts"], at) << e;
    at = e["ts"].get<int64_t>() + e["dur"].get<int64_t>();
    got[e["name"]] += e["dur"].get<int64_t>();  // a layer has a slice for each of its turns
  }
  EXPECT_EQ(at, FashionCycles());
  EXPECT_EQ(got, expected);
}

TEST(TraceCommand, SlicesDoNotOverlapAndTheirCountersAddUpToTheMachines) {
  const json& program = Trace()["otherData"]["programs"][0];
  std::map<std::string, int64_t> sums[kUnits];
  int64_t end[kUnits] = {}, slices = 0;
  for (const json& e : Trace()["traceEvents"]) {
    if (!IsSlice(e) || UnitOf(e) < 0) continue;
    const int u = UnitOf(e);
    EXPECT_GE(e["ts"].get<int64_t>(), end[u]) << e;
    end[u] = e["ts"].get<int64_t>() + e["dur"].get<int64_t>();
    for (const char* what : {"busy", "token", "memory", "hazard", "idle"})
      sums[u][what] += e["args"][what].get<int64_t>();
    if (e["name"] == "rest") continue;
    ++slices;
    EXPECT_GE(e["ts"].get<int64_t>(), e["args"]["taken"].get<int64_t>()) << e;
    EXPECT_EQ(end[u], e["args"]["retired"].get<int64_t>() + 1) << e;
    EXPECT_TRUE(e["args"].contains("layer")) << e;
  }
  EXPECT_EQ(slices + 1, program["instructions"]);  // FINISH has no slice
  for (int u = 0; u < kUnits; ++u) {
    EXPECT_EQ(end[u], FashionCycles());
    int64_t all = 0;
    for (const auto& [what, sum] : sums[u]) {
      EXPECT_EQ(program["units"][kUnitNames[u]][what], sum) << kUnitNames[u] << " " << what;
      all += sum;
    }
    EXPECT_EQ(all, FashionCycles()) << kUnitNames[u];
  }
}

// The waits of a unit do not overlap, and their cycles are at most its counters'.
TEST(TraceCommand, WaitsAreThoseOfTheCounters) {
  const json& units = Trace()["otherData"]["programs"][0]["units"];
  int64_t end[kUnits] = {}, waits[kUnits] = {};
  for (const json& e : Trace()["traceEvents"]) {
    if (!IsSlice(e) || e.value("cat", "") != "wait") continue;
    const int u = e["tid"].get<int>() / 2 - 1;
    EXPECT_GE(e["ts"].get<int64_t>(), end[u]);
    EXPECT_GE(e["dur"].get<int64_t>(), 4);
    end[u] = e["ts"].get<int64_t>() + e["dur"].get<int64_t>();
    waits[u] += e["dur"].get<int64_t>();
    EXPECT_THAT(
        e["name"].get<std::string>(),
        ::testing::ContainsRegex("^(token of|room for a token to|memory|bank or pipeline)"));
  }
  for (int u = 0; u < kUnits; ++u) {
    const json& c = units[kUnitNames[u]];
    const int64_t counted =
        c["token"].get<int64_t>() + c["memory"].get<int64_t>() + c["hazard"].get<int64_t>();
    EXPECT_LE(waits[u], counted);
    EXPECT_GE(waits[u], counted * 3 / 4) << "most cycles are in waits of four and more";
  }
}

// Number of tokens in field |name| of an instruction's text: "pop=load+vector" has two.
size_t Tokens(const std::string& text, const std::string& name) {
  const size_t at = text.find(" " + name + "=");
  if (at == std::string::npos) return 0;
  const std::string list = text.substr(at, text.find(' ', at + 1) - at);
  return 1 + static_cast<size_t>(std::ranges::count(list, '+'));
}

TEST(TraceCommand, EveryArrowBeginsAndEndsInASlice) {
  std::map<int64_t, json> begins, ends;
  std::vector<json> slices;
  size_t pops = 0, pushes = 0;
  for (const json& e : Trace()["traceEvents"]) {
    const bool begin = e["ph"] == "s", end = e["ph"] == "f";
    if (begin || end) {
      const bool first = (begin ? begins : ends).emplace(e["id"], e).second;
      EXPECT_TRUE(first) << "an arrow begins once and ends once: " << e;
    }
    if (!IsSlice(e) || UnitOf(e) < 0 || e["name"] == "rest") continue;
    slices.push_back(e);
    pops += Tokens(e["args"]["text"], "pop");
    pushes += Tokens(e["args"]["text"], "push");
  }
  EXPECT_GT(pops, 100u);
  EXPECT_EQ(pops, pushes);
  EXPECT_EQ(begins.size(), pops);
  ASSERT_EQ(ends.size(), begins.size());
  const auto slice_at = [&](const json& e) -> json {
    for (const json& s : slices) {
      if (s["tid"] == e["tid"] && s["ts"] <= e["ts"] &&
          e["ts"].get<int64_t>() < s["ts"].get<int64_t>() + s["dur"].get<int64_t>())
        return s;
    }
    return json();
  };
  for (const auto& [id, begin] : begins) {
    ASSERT_TRUE(ends.contains(id));
    const json& end = ends[id];
    EXPECT_LT(begin["ts"].get<int64_t>(), end["ts"].get<int64_t>());
    const json from = slice_at(begin), to = slice_at(end);
    ASSERT_FALSE(from.is_null() || to.is_null());
    EXPECT_THAT(from["args"]["text"].get<std::string>(), HasSubstr(kUnitNames[UnitOf(end)]))
        << "pushes to whom the arrow leads";
    EXPECT_GT(Tokens(to["args"]["text"], "pop"), 0u);
  }
}

TEST(TraceCommand, ScratchpadsFillWithinTheirSizeAndEmpty) {
  // default: INP 2,048 tiles of 16 bytes, WGT 1,024 of 256, ACC 2,048 of 64, OUT 2,048 of 16.
  std::map<std::string, int64_t> most, last;
  for (const json& e : Trace()["traceEvents"]) {
    if (e["ph"] != "C" || !e["args"].contains("bytes")) continue;
    const int64_t bytes = e["args"]["bytes"];
    EXPECT_GE(bytes, 0) << e;
    most[e["name"]] = std::max(most[e["name"]], bytes);
    last[e["name"]] = bytes;
  }
  for (const char* name : {"inp in use", "wgt in use", "acc in use", "out in use"})
    EXPECT_GT(most[name], 0) << name;
  EXPECT_LE(most["inp in use"], 32'768);
  EXPECT_LE(most["wgt in use"], 262'144);
  EXPECT_LE(most["acc in use"], 131'072);
  for (const auto& [name, bytes] : last) EXPECT_EQ(bytes, 0) << name;
}

TEST(TraceCommand, TheBusMovesWhatTheReportSays) {
  const json& program = Trace()["otherData"]["programs"][0];
  double read = 0, written = 0;
  const json* before = nullptr;
  for (const json& e : Trace()["traceEvents"]) {
    if (e["ph"] != "C" || !e["args"].contains("fetch")) continue;
    if (before != nullptr) {
      const auto cycles =
          static_cast<double>(e["ts"].get<int64_t>() - (*before)["ts"].get<int64_t>());
      const json& rate = (*before)["args"];
      read += cycles * (rate["fetch"].get<double>() + rate["load"].get<double>());
      written += cycles * rate["store"].get<double>();
    }
    before = &e;
  }
  EXPECT_NEAR(read, program["bytes_read"].get<double>(),
              0.001 * static_cast<double>(FashionCycles()));
  EXPECT_NEAR(written, program["bytes_written"].get<double>(),
              0.001 * static_cast<double>(FashionCycles()) + 4096);
}

// Both simulators give the same events, in any order.
TEST(TraceCommand, TheCycleModelGivesTheSameTrace) {
  const std::string out = TempPath("cycle.json");
  const CommandResult r = Tessera(fmt::format("trace {} --device cycle -o {}", kModel, out));
  ASSERT_EQ(r.code, 0) << r.output;
  const auto events = [](const json& trace) {
    std::multiset<std::string> all;
    for (json e : trace["traceEvents"]) {
      if (e.contains("id")) e.erase("id");
      all.insert(e.dump());
    }
    return all;
  };
  const json cycle = ReadJson(out);
  ASSERT_TRUE(cycle.is_object());
  EXPECT_GT(cycle["traceEvents"].size(), 2000u);
  EXPECT_TRUE(events(cycle) == events(Trace()));
  EXPECT_EQ(cycle["otherData"]["programs"], Trace()["otherData"]["programs"]);
}

// The second instruction of the program waits for ever: the trace has the run up to that point.
TEST(TraceCommand, ARunThatFailsLeavesItsTrace) {
  const std::string text = TempPath("stuck.s"), image = TempPath("stuck.img"),
                    out = TempPath("stuck.json");
  ASSERT_TRUE(WriteFile(text, std::string_view(".profile tessera\n.config tiny\n.code\n"
                                               "sync unit=load push=gemm\nsync unit=gemm pop=load\n"
                                               "sync unit=vector pop=gemm\nfinish\n")));
  ASSERT_EQ(Tessera(fmt::format("asm {} -o {}", text, image)).code, 0);
  const CommandResult r = Tessera(fmt::format("trace {} -o {}", image, out));
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.output, HasSubstr("deadlock"));
  EXPECT_THAT(r.output, HasSubstr("the run until then is in " + out));
  const json trace = ReadJson(out);
  ASSERT_TRUE(trace.is_object());
  EXPECT_EQ(trace["otherData"]["complete"], false);
  EXPECT_THAT(trace["otherData"]["error"].get<std::string>(), HasSubstr("deadlock"));
  int slices = 0;
  bool waits = false;
  for (const json& e : trace["traceEvents"]) {
    slices += IsSlice(e) && UnitOf(e) >= 0;
    waits |= e["name"] == "token of GEMM" && e["tid"] == 7;
  }
  EXPECT_EQ(slices, 2);
  EXPECT_TRUE(waits) << "VECTOR waits for GEMM's token";
}

TEST(TraceCommand, AFullDiskStopsTheTraceAndNotTheRun) {
  const std::string out = TempPath("cut.json"), json_file = TempPath("cut.summary.json");
  // 100 blocks of 512 bytes.
  const CommandResult r =
      Tessera(fmt::format("trace {} -o {} --json {}", kModel, out, json_file), "ulimit -f 100; ");
  EXPECT_EQ(r.code, 1) << r.output;
  EXPECT_THAT(r.output, HasSubstr(FashionCyclesText() + " cycles"));
  EXPECT_THAT(r.output, HasSubstr("File too large; the run went on, the trace ends with a note"));
  EXPECT_LE(std::filesystem::file_size(out), 51'200u);
  const json trace = ReadJson(out);
  ASSERT_TRUE(trace.is_object()) << "still JSON";
  EXPECT_EQ(trace["otherData"]["complete"], false);
  EXPECT_THAT(trace["traceEvents"].back()["name"].get<std::string>(),
              HasSubstr("the trace ends here: File too large"));
  EXPECT_EQ(ReadJson(json_file)["cycles"], FashionCycles());
  EXPECT_EQ(ReadJson(json_file)["ok"], false);
}

TEST(TraceCommand, RefusesWhatDoesNotFitInOneLine) {
  const std::string out = TempPath("bad.json");
  const std::string other = TempPath("other.img"), text = TempPath("other.s");
  ASSERT_TRUE(WriteFile(text, std::string_view(".profile tessera\n.config tiny\n.code\nfinish\n")));
  ASSERT_EQ(Tessera(fmt::format("asm {} -o {}", text, other)).code, 0);
  const std::string report = TempPath("counted.json");
  ASSERT_EQ(
      Tessera(fmt::format("trace {} --device cycle -o {} --json {}", kModel, out, report)).code, 0);
  const int insns = ReadJson(report)["instructions"];
  struct Case {
    std::string arguments, says;
  };
  for (const Case& c : std::initializer_list<Case>{
           {fmt::format("{} --device func -o {}", kModel, out), "has no clock"},
           {fmt::format("{} --device cpu -o {}", kModel, out), "has no clock"},
           {fmt::format("{} -o /no/folder/t.json", kModel), "/no/folder/t.json: cannot create"},
           {fmt::format("{} -o /dev/full", kModel), "/dev/full: the trace cannot be written"},
           {fmt::format("/no/model.onnx -o {}", out), "/no/model.onnx"},
           {fmt::format("{} -o {} --config wide", other, out), "other.img"},
           {fmt::format("{} -o {} --input {}", other, out, kImages), "is a program"},
           {fmt::format("{} -o {} --budget 100", kModel, out), "100"},
           {fmt::format("README.md -o {}", out), "README.md"},
           {fmt::format("{} --wave w.fst --device cycle", kModel), "is of --device rtl"},
           {fmt::format("{} --wave w.vcd", kModel), "its name ends in .fst"},
           {fmt::format("{} --wave w.fst --from here", kModel), "give layer:NAME, insn:NUMBER"},
           {fmt::format("{} --wave w.fst --from layer:none", kModel),
            "no layer 'none'; layers are: "},
           {fmt::format("{} --wave w.fst --from layer:stage", kModel),
            "'stage' is a part of 8 layers"},
           {fmt::format("{} --wave w.fst --from insn:{}", kModel, insns),
            fmt::format("instructions 0 to {}\n", insns - 1)},
           {fmt::format("{} --wave w.fst --from cycle:9999999", kModel), "did not come there"},
           {fmt::format("{} --wave w.fst --from failure", kModel), "did not come there"},
           {std::string(kModel), "give -o FILE.json, --html FILE or --wave FILE.fst"}}) {
    SCOPED_TRACE(c.arguments);
    const CommandResult r = Tessera("trace " + c.arguments);
    EXPECT_EQ(r.code, 2) << r.output;
    EXPECT_THAT(r.output, HasSubstr(c.says));
    EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << r.output;
  }
}

}  // namespace
}  // namespace tessera::test::trace_test
