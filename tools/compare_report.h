// SPDX-License-Identifier: Apache-2.0
//
// What `tessera compare` found, and how it is told: a table in words for a newcomer, and JSON.
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
#include "tools/compare_reference.h"

namespace tessera::tools {

struct LayerRow {
  std::string name, op;
  std::string device;      // "host" or "accelerator": where the accelerator's plan runs it
  bool stays = false;      // on the accelerator, and its result never leaves the chip
  int64_t macs = 0;        // of one inference
  int64_t values = 0;      // compared: outputs x images x devices but the first
  int64_t mismatches = 0;  // of these
};

// What a device with a clock counted in one inference.
struct ClockedRun {
  using EachUnit = std::array<UnitCounters, isa::kUnits>;
  std::string device;
  double mhz = 0;
  int64_t cycles = 0;                 // all programs from start to done
  EachUnit units;                     // of these cycles
  std::string unseen;                 // why it tells no layer's cycles; "": it tells them
  std::vector<int64_t> layer_cycles;  // by layer; empty where it does not tell
  std::vector<EachUnit> layer_units;  // of these cycles
};

// A step of the host around the accelerator's runs.
struct HostStep {
  std::string what = "";                      // "pack the input", "softmax_12 (softmax)"
  int64_t bytes_read = 0, bytes_written = 0;  // of one inference
  std::vector<size_t> plan_steps = {};        // those of the plan
  double seconds = 0;                         // measured here, all inferences on machines together
};

// An output of the model on all devices.
struct OutputRow {
  std::string name, type;  // "int8 [1, 10]"
  int64_t values = 0;      // compared: of one item x images x devices but the first
  int64_t mismatches = 0;  // of these
  std::optional<ReferenceOutput> reference;  // the first device's beside another runtime's
};

struct Comparison {
  std::string model;
  isa::Config config;
  std::vector<std::string> devices;  // the first is what the others are compared with
  std::vector<ClockedRun> clocks;    // of the devices with a clock, in that order
  int64_t images = 0;                // that were compared
  int64_t asked = 0;                 // more where SIGINT came
  std::string pixels_line;           // Inputs::pixels_line
  std::vector<LayerRow> layers;
  std::vector<OutputRow> outputs;
  std::vector<HostStep> host;          // of the plan with the accelerator; empty without one
  bool explain = false;                // tell what each unit did
  size_t kept = 0;                     // layers whose result can be read on every device
  int64_t host_runs = 0;               // inferences that |host|'s seconds are of
  size_t programs = 0;                 // of the accelerator, each run once an inference
  std::string coverage_lines;          // CoverageLines
  nlohmann::ordered_json coverage;     // CoverageJson; null without a plan for the accelerator
  std::string where;                   // WhereItGoesWrong of the first outputs that differ alone
  std::vector<int64_t> labels;         // empty: not given
  std::optional<size_t> class_output;  // ClassOutput: what |classes| are of
  int64_t top = 1;                     // how many classes of an image are told
  std::vector<Classes> classes;        // by device; empty without |class_output|

  int64_t Macs() const;
  int64_t LayerMismatches() const;
  int64_t OutputMismatches() const;
  int64_t Mismatches() const;  // of all layers and the outputs
  int64_t Values() const;
  // Of one inference; nothing where no device was a machine.
  std::optional<double> HostSeconds() const;
  bool Whole() const { return images == asked; }
  bool Ok() const { return Mismatches() == 0; }
  bool KeepsLayers() const { return kept == layers.size(); }
  // The device whose cycles stand for the machine's: the first that tells them by layer, else the
  // first with a clock; null without one.
  const ClockedRun* Shown() const;
  const char* MemoryName() const;  // of the configuration's model
  // Multiply-accumulates done over those that |cycles| allow; nothing without cycles.
  std::optional<double> Utilisation(int64_t macs, int64_t cycles_taken) const;
  // Share of images of device |d| that have their label among the |of| greatest classes; nothing
  // without labels.
  std::optional<double> Right(size_t d, int64_t of) const;
};

std::string ReportText(const Comparison& c);
// What each unit did in the cycles of each layer, as far as Shown() tells it, a bar a unit; needs a
// device with a clock.
std::string ExplainText(const Comparison& c);

nlohmann::ordered_json ReportJson(const Comparison& c);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPARE_REPORT_H_
