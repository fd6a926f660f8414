// SPDX-License-Identifier: Apache-2.0
//
// tessera devices: lists what --device and --devices take, whether each device can be used here,
// and what this computer has for it; measures its processor.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "isa/config.h"
#include "runtime/host/cpu_level.h"
#include "runtime/host/threads.h"
#include "tools/devices.h"
#include "tools/measure_cpu.h"
#include "tools/measure_gpu.h"
#include "tools/output.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct ListFlags {
  std::string name, json;
  bool measure = false;
  std::string config, output;  // of --measure
};

std::string MemoryText(uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

// A device of the list: what this computer has for it, or why it cannot be used.
struct DeviceLine {
  std::string name;
  Result<std::string> here;
};

std::vector<DeviceLine> Lines() {
  std::vector<DeviceLine> lines;
  const int threads = AllowedProcessors();
  lines.push_back({kCpu, fmt::format("{}, {} thread{}", CpuLevels().front(), threads,
                                     threads == 1 ? "" : "s")});
  for (const GpuDriver& driver : GpuDrivers()) {
    const auto device = driver.open();
    lines.push_back({driver.name, device ? Result<std::string>(
                                               fmt::format("{}, {}", (*device)->name(),
                                                           MemoryText((*device)->memory_bytes())))
                                         : std::unexpected(device.error())});
  }
  for (const Driver& driver : Drivers()) {
    lines.push_back({std::string(driver.name),
                     driver.here != nullptr ? driver.here() : Result<std::string>("")});
  }
  return lines;
}

// Why |line|'s device cannot be used, without the device's name, which the table already shows.
std::string Reason(const DeviceLine& line) {
  std::string text = line.here.error().message;
  for (const std::string& begin : {"device " + line.name + ": ", line.name + ": "}) {
    if (text.starts_with(begin)) text.erase(0, begin.size());
  }
  return text;
}

// The figures of a GPU, a row each.
std::vector<std::vector<std::string>> RowsOf(const isa::Gpu& gpu) {
  const auto row = [](const char* key, int64_t value, const char* unit, const char* what) {
    return std::vector<std::string>{std::string("gpu.") + key, Grouped(value), unit, what};
  };
  return {row("processors", gpu.processors, "", "with the lanes: an int8 product of 512 cubed"),
          row("lanes", gpu.lanes, "", "operations in a cycle of each"),
          row("clock_mhz", gpu.clock_mhz, "MHz", "not measured: the lanes are for this one"),
          row("memory_mb_s", gpu.memory_mb_s, "MB/s", "an elementwise kernel of 48 MiB"),
          row("link_mb_s", gpu.link_mb_s, "MB/s", "16 MiB from the host's memory and back"),
          row("launch_us", gpu.launch_us, "us", "the call and the answer of a small kernel"),
          row("transfer_us", gpu.transfer_us, "us", "64 bytes, to the GPU or back")};
}

// Prints this computer's figures, and writes the configuration with them.
Result<int> Measure(const ListFlags& options) {
  TESSERA_ASSIGN(isa::Config config,
                 isa::LoadConfig(options.config.empty() ? "default" : options.config));
  if (!options.output.empty()) TESSERA_TRY(CheckWritable(options.output));
  TESSERA_ASSIGN(config.cpu, MeasureCpu());
  if (!options.name.empty()) {
    TESSERA_ASSIGN(config.gpu, MeasureGpu(options.name));
  }
  const isa::Cpu& cpu = config.cpu;
  const auto row = [](const char* key, int64_t value, const char* unit, const char* what) {
    return std::vector<std::string>{key, Grouped(value), unit, what};
  };
  std::printf("%s, level %s\n", ProcessorName().c_str(), cpu.level.c_str());
  std::vector<std::vector<std::string>> rows{
      row("clock_mhz", cpu.clock_mhz, "MHz", "a chain of additions, one a cycle"),
      row("cores", cpu.cores, "", "processors that this process may use"),
      row("l2_kib", cpu.l2_kib, "KiB", "the largest cache, as the system says"),
      row("memory_mb_s", cpu.memory_mb_s, "MB/s", "reads of 256 MiB by one thread"),
      row("pack_mb_s", cpu.pack_mb_s, "MB/s", "packing of an image of 64 channels"),
      row("start_us", cpu.start_us, "us", "not measured: it is the board's")};
  if (!options.name.empty()) std::ranges::copy(RowsOf(config.gpu), std::back_inserter(rows));
  std::fputs(Table({"figure", "value", "unit", "measured"}, "lrll", std::move(rows)).c_str(),
             stdout);
  if (options.output.empty()) return kExitOk;
  const std::string text = isa::ConfigToJson(config);
  TESSERA_TRY(
      WriteFile(options.output, {reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
  std::printf("%s: configuration %s with this processor%s; use it as --config %s\n",
              options.output.c_str(), config.name.c_str(),
              options.name.empty() ? "" : " and this GPU", options.output.c_str());
  return kExitOk;
}

Result<int> Run(const ListFlags& options) {
  if (options.measure) {
    const bool gpu = FindGpuDriver(options.name) != nullptr;
    if ((!options.name.empty() && !gpu) || !options.json.empty()) {
      return Fail(Code::kInvalidArgument,
                  "devices --measure measures this processor, with opencl or cuda a GPU too: leave "
                  "{} out",
                  options.json.empty() ? options.name : "--json");
    }
    return Measure(options);
  }
  if (!options.config.empty() || !options.output.empty()) {
    return Fail(Code::kInvalidArgument, "devices {}: goes with --measure",
                options.config.empty() ? "-o" : "--config");
  }
  if (!options.name.empty()) TESSERA_TRY(ChooseDevice(options.name));
  std::vector<std::vector<std::string>> rows;
  Json json = Json::array();
  bool all = true;
  for (const DeviceLine& line : Lines()) {
    if (!options.name.empty() && options.name != line.name) continue;
    const bool usable = line.here.has_value();
    const std::string what = DescribeDevice(line.name).substr(line.name.size() + 2);
    const std::string fact = usable ? *line.here : Reason(line);
    all = all && usable;
    rows.push_back({line.name, usable ? "yes" : "no",
                    !usable        ? fact
                    : fact.empty() ? what
                                   : fmt::format("{}: {}", what, fact)});
    json.push_back({{"name", line.name},
                    {"usable", usable},
                    {"what", what},
                    {usable ? "here" : "reason", fact}});
  }
  std::fputs(
      Table({"device", "here", "what it is, or why not and the way out"}, "lll", std::move(rows))
          .c_str(),
      stdout);
  TESSERA_TRY(WriteJson(options.json, json));
  return options.name.empty() || all ? kExitOk : kExitNo;
}

}  // namespace

Action AddDevices(CLI::App& app) {
  auto options = std::make_shared<ListFlags>();
  CLI::App* verb = app.add_subcommand(
      "devices", "list what --device takes and whether it can be used on this machine");
  verb->add_option("name", options->name, "this one alone; exit code 1 if it cannot be used");
  verb->add_option("--json", options->json, "write the facts to this file");
  verb->add_flag("--measure", options->measure,
                 "measure this computer's processor, for forecasts of `tessera place`; with "
                 "opencl or cuda as the name, that GPU too");
  verb->add_option("--config", options->config,
                   "with -o: the accelerator beside that processor; default: default");
  verb->add_option("-o,--output", options->output,
                   "with --measure: write a configuration with that processor to this file");
  verb->footer(
      "Example: tessera devices cuda && tessera run net.tsr --device cuda --input X.npy\n"
      "The options of each: tessera run --help.\n"
      "This computer as the host of an accelerator:\n"
      "  tessera devices --measure -o here.json\n"
      "  tessera place models/fashion/fashion_int8.onnx --config here.json --measure cycle\n"
      "The same with a GPU: tessera devices opencl --measure -o here.json");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
