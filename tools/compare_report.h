// SPDX-License-Identifier: Apache-2.0
//
// The result of `tessera compare`, printed as a table in words for a newcomer, or as JSON.
#ifndef TESSERA_TOOLS_COMPARE_REPORT_H_
#define TESSERA_TOOLS_COMPARE_REPORT_H_

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "isa/config.h"
#include "runtime/device.h"
#include "tools/classes.h"
#include "tools/compare_apart.h"
#include "tools/compare_reference.h"

namespace tessera::tools {

struct LayerRow {
  std::string name, op;
  std::string device;      // "host" or "accelerator": where the accelerator's plan runs the layer
  bool stays = false;      // on the accelerator, and the result stays in its scratchpads
  int64_t macs = 0;        // of one inference
  int64_t values = 0;      // compared: outputs x images x devices but the first
  int64_t mismatches = 0;  // of these values
};

// The counters of a device with a clock in one inference.
struct ClockedRun {
  using EachUnit = std::array<UnitCounters, isa::kUnits>;
  std::string device;
  double mhz = 0;
  int64_t cycles = 0;                 // all programs from start to done
  EachUnit units;                     // of these cycles
  std::string unseen;                 // why it reports no cycles of layers; "": it reports them
  std::vector<int64_t> layer_cycles;  // by layer; empty if unseen
  std::vector<EachUnit> layer_units;  // of these cycles
};

// A step of the host around the accelerator's runs.
struct HostStep {
  std::string what = "";                      // "pack the input", "softmax_12 (softmax)"
  int64_t bytes_read = 0, bytes_written = 0;  // of one inference
  std::vector<size_t> plan_steps = {};        // its steps of the plan
  double seconds = 0;                         // measured, for all inferences on machines together
};

// An output of the model on all devices.
struct OutputRow {
  std::string name, type;  // "int8 [1, 10]"
  int64_t values = 0;      // compared: of one item x images x devices but the first
  int64_t mismatches = 0;  // of these values
  std::optional<ReferenceOutput> reference;  // compares the first device with another runtime
};

struct Comparison {
  std::string model;
  isa::Config config;
  std::vector<std::string> devices;  // the others are compared with the first
  std::vector<ClockedRun> clocks;    // of the devices with a clock, in that order
  int64_t accelerators = 1;          // of each simulator among |devices|
  int64_t images = 0;                // how many were compared
  int64_t asked = 0;                 // how many were wanted; more than |images| after SIGINT
  std::string pixels_line;           // Inputs::pixels_line
  std::vector<LayerRow> layers;
  std::vector<OutputRow> outputs;
  std::vector<HostStep> host;       // of the plan with the accelerator; empty without one
  bool explain = false;             // also print what each unit did
  size_t kept = 0;                  // layers whose result can be read on every device
  int64_t host_runs = 0;            // inferences in the seconds of |host|
  size_t programs = 0;              // of the accelerator, each run once in an inference
  std::string coverage_lines;       // CoverageLines
  nlohmann::ordered_json coverage;  // CoverageJson; null without a plan for the accelerator
  std::string where;                // WhereItGoesWrong for the first item with wrong outputs only
  std::vector<int64_t> labels;      // empty: not given
  std::optional<size_t> class_output;  // ClassOutput: the output that |classes| come from
  std::vector<double> allowed;         // AllowedApart of the network
  Apart apart;
  int64_t top = 1;               // how many classes of an image to print
  std::vector<Classes> classes;  // by device; empty without |class_output|

  int64_t Macs() const;
  int64_t LayerMismatches() const;
  int64_t OutputMismatches() const;
  int64_t Mismatches() const;  // of all layers and the outputs
  int64_t Values() const;
  // For one inference; nothing if no device was a machine.
  std::optional<double> HostSeconds() const;
  bool Whole() const { return images == asked; }
  bool Ok() const { return Mismatches() == 0; }
  bool KeepsLayers() const { return kept == layers.size(); }
  // The device whose cycles stand for the machine's: the first that tells cycles of layers, else
  // the first with a clock; null without a clock.
  const ClockedRun* Shown() const;
  const char* MemoryName() const;  // of the configuration's model
  // MACs done, as a share of those that |cycles_taken| allow; nothing without cycles.
  std::optional<double> Utilisation(int64_t macs, int64_t cycles_taken) const;
  // The share of images on device |d| whose label is among their |of| greatest classes; nothing
  // without labels.
  std::optional<double> Right(size_t d, int64_t of) const;
};

std::string ReportText(const Comparison& c);
// What each unit did in the cycles of each layer, one bar for each unit, as far as Shown() tells
// it. Needs a device with a clock.
std::string ExplainText(const Comparison& c);

nlohmann::ordered_json ReportJson(const Comparison& c);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPARE_REPORT_H_
