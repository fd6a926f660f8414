// SPDX-License-Identifier: Apache-2.0
//
// The part of a board's Linux that `tessera flash` uses, as files below a folder and a thread that
// reacts as the kernel does: the FPGA manager's `firmware` and `state`, overlays in configfs, the
// UIO device with the machine's identity registers. `state` is a FIFO, so that each reader sees the
// result of the write before.
#ifndef TESSERA_TESTS_TOOLS_SIMULATED_FPGA_H_
#define TESSERA_TESTS_TOOLS_SIMULATED_FPGA_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tessera::test {

// Each count is the number of next events that fail.
struct FpgaFaults {
  int state_errors = 0;              // the manager says "write error" after programming
  int silences = 0;                  // `state` does not answer
  int no_devices = 0;                // an overlay gives no UIO device
  int wrong_hashes = 0;              // the registers show another configuration
  int dead_machines = 0;             // the registers show zeros
  int no_nodes = 0;                  // the UIO device has no file in /dev
  std::function<void()> on_program;  // called before the manager's answer
};

class SimulatedFpga {
 public:
  SimulatedFpga(std::string root, const std::string& manager);
  ~SimulatedFpga();

  const std::string& root() const { return root_; }
  std::string Path(const std::string& path) const { return root_ + "/" + path; }
  // Makes |bin| configure a machine of the configuration |hash|.
  void Knows(const std::vector<uint8_t>& bin, uint64_t hash);
  void SetFaults(FpgaFaults faults);
  // Contents of the fabric; whether a machine answers at the UIO device.
  std::vector<uint8_t> Running();
  bool Attached();
  // A new boot: the fabric is empty, devices are gone, files stay.
  void Reboot();

 private:
  void Loop();
  void TakeFirmware();
  void TakeOverlay();
  void AnswerState();

  std::string root_;
  std::mutex mutex_;
  FpgaFaults faults_;
  std::map<std::vector<uint8_t>, uint64_t> machines_;
  std::vector<uint8_t> running_;
  std::string state_ = "operating";
  bool attached_ = false;
  int boots_ = 1;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace tessera::test

#endif  // TESSERA_TESTS_TOOLS_SIMULATED_FPGA_H_
