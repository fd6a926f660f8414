// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/zynq/uio_port.h"

#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "isa/regs.h"
#include "runtime/drivers/zynq/bus_guard.h"

namespace tessera::zynq {
namespace {

// Bytes of the register map, up to the end of the last register.
constexpr uint64_t RegisterBytes() {
  uint32_t end = 0;
  for (const isa::RegInfo& r : isa::kRegs)
    end = std::max(end, r.offset + (r.count - 1) * r.stride + 4);
  return end;
}

// The folders of UIO devices called |name|, by the device's name or the folder's.
std::vector<std::string> Matching(const std::string& classes, const std::string& name,
                                  std::vector<std::string>* seen) {
  std::vector<std::string> matching;
  for (const std::string& node : NamesIn(classes)) {
    const Result<std::string> called = ReadLine(classes + "/" + node + "/name");
    if (!called) continue;
    seen->push_back(*called + " (" + node + ")");
    if (node == name) return {node};
    if (*called == name) matching.push_back(node);
  }
  return matching;
}

}  // namespace

Result<std::string> FindUio(const std::string& root, const std::string& name) {
  const std::string classes = root + "/sys/class/uio";
  std::vector<std::string> seen;
  const std::vector<std::string> nodes = Matching(classes, name, &seen);
  if (nodes.empty()) {
    return Fail(Code::kNotFound,
                "{}: no UIO device is called '{}'; there are [{}]: program the board with "
                "`tessera flash` and load its overlay, or give another name with uio=NAME",
                classes, name, fmt::join(seen, ", "));
  }
  if (nodes.size() > 1) {
    return Fail(Code::kInvalidArgument,
                "{}: {} UIO devices are called '{}': choose one of [{}] with uio=NAME", classes,
                nodes.size(), name, fmt::join(nodes, ", "));
  }
  return nodes[0];
}

Result<std::unique_ptr<UioPort>> UioPort::Open(const std::string& root, const std::string& name,
                                               InterruptUse use) {
  TESSERA_ASSIGN(const std::string node, FindUio(root, name));
  const std::string classes = root + "/sys/class/uio";
  const std::string map = classes + "/" + node + "/maps/map0";
  TESSERA_ASSIGN(const uint64_t bytes, ReadNumber(map + "/size"));
  // The offset of the registers in the first page; older kernels lack this file.
  const uint64_t offset = ReadNumber(map + "/offset").value_or(0);
  if (bytes < RegisterBytes()) {
    return Fail(
        Code::kOutOfRange,
        "{}/size: the map has {} bytes, the registers take {}: correct `reg` of the node in "
        "the device tree",
        map, bytes, RegisterBytes());
  }
  const std::string path = root + "/dev/" + node;
  TESSERA_ASSIGN(OpenFile file, OpenFile::Open(path));
  TESSERA_TRY(TakeForThisProcess(file, path));
  TESSERA_ASSIGN(auto mapped, MappedFile::Map(file, path, 0, offset + bytes));
  return std::make_unique<UioPort>(path, std::move(file), std::move(mapped), offset, use);
}

UioPort::UioPort(std::string path, OpenFile file, std::unique_ptr<MappedFile> map, uint64_t offset,
                 InterruptUse use)
    : InterruptPort(use, path,
                    "compare `interrupts` of its node in the device tree with the block design"),
      path_(std::move(path)),
      file_(std::move(file)),
      map_(std::move(map)),
      offset_(offset) {}

UioPort::~UioPort() { Disarm(); }

volatile uint32_t* UioPort::At(uint32_t offset) const {
  return reinterpret_cast<volatile uint32_t*>(map_->data() + offset_ + offset);
}

Result<uint32_t> UioPort::Read(uint32_t offset) {
  uint32_t value = 0;
  if (GuardedRead(At(offset), &value)) return value;
  return Fail(Code::kDataLoss,
              "{}: the bus does not answer at register {:#05x}: is the programmable logic "
              "configured, with its clock on and out of reset? `tessera flash` does that",
              path_, offset);
}

Status UioPort::Write(uint32_t offset, uint32_t value) {
  if (GuardedWrite(At(offset), value)) return {};
  return Fail(Code::kDataLoss,
              "{}: the bus does not take a write of register {:#05x}: is the programmable logic "
              "configured, with its clock on and out of reset? `tessera flash` does that",
              path_, offset);
}

// The kernel disables the interrupt each time it comes.
Status UioPort::LetThrough() {
  const uint32_t one = 1;
  if (write(file_.fd(), &one, sizeof one) == sizeof one) return {};
  return Fail(Code::kUnsupported,
              "{}: this UIO device has no interrupt ({}): give its node `interrupts` in the device "
              "tree",
              path_, SystemError());
}

Result<bool> UioPort::Take(std::chrono::milliseconds limit) {
  pollfd event = {file_.fd(), POLLIN, 0};
  if (poll(&event, 1, static_cast<int>(limit.count())) != 1 || (event.revents & POLLIN) == 0)
    return false;
  uint32_t count = 0;  // of interrupts so far
  if (read(file_.fd(), &count, sizeof count) == sizeof count) return true;
  return Fail(Code::kUnsupported, "{}: no UIO device: {}", path_, SystemError());
}

}  // namespace tessera::zynq
