// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/ddr3_channel.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tessera::sim::cycle {
namespace {

struct Named {
  const char* name;
  uint64_t Ddr3Parameters::*value;
  uint64_t least, most;
  bool power_of_two = false;
};
constexpr Named kNumbers[] = {
    {"bytes", &Ddr3Parameters::bytes, 1, 16, true},
    {"banks", &Ddr3Parameters::banks, 1, 64, true},
    {"row_bytes", &Ddr3Parameters::row_bytes, 256, 65536, true},
    {"cl", &Ddr3Parameters::cl, 1, 100},
    {"cwl", &Ddr3Parameters::cwl, 1, 100},
    {"rcd", &Ddr3Parameters::rcd, 1, 100},
    {"rp", &Ddr3Parameters::rp, 1, 100},
    {"ras", &Ddr3Parameters::ras, 1, 200},
    {"wr", &Ddr3Parameters::wr, 1, 100},
    {"wtr", &Ddr3Parameters::wtr, 1, 100},
    {"refi", &Ddr3Parameters::refi, 100, 1'000'000},
    {"rfc", &Ddr3Parameters::rfc, 1, 10'000},
    {"controller", &Ddr3Parameters::controller, 0, 1000},
};
constexpr double kLeastMhz = 100, kMostMhz = 2000;

}  // namespace

Result<Ddr3Parameters> ParseDdr3(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return Fail(Code::kInvalidArgument, "a DDR3 memory is a JSON object, like {{\"cl\": 7}}");
  Ddr3Parameters p;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number())
      return Fail(Code::kInvalidArgument, "{} of a DDR3 memory is not a number", name);
    if (name == "clock_mhz") {
      p.clock_mhz = value.get<double>();
      if (!(p.clock_mhz >= kLeastMhz && p.clock_mhz <= kMostMhz)) {
        return Fail(Code::kOutOfRange, "clock_mhz of a DDR3 memory is {}, it can be {} to {}",
                    p.clock_mhz, kLeastMhz, kMostMhz);
      }
      continue;
    }
    const auto row = std::find_if(std::begin(kNumbers), std::end(kNumbers),
                                  [&](const Named& n) { return name == n.name; });
    if (row == std::end(kNumbers)) {
      std::string names = "clock_mhz";
      for (const Named& n : kNumbers) names += fmt::format(", {}", n.name);
      return Fail(Code::kInvalidArgument, "a DDR3 memory has no {}; it has {}", name, names);
    }
    const double number = value.get<double>();
    const bool fits = number >= static_cast<double>(row->least) &&
                      number <= static_cast<double>(row->most) && number == std::floor(number);
    const auto whole = fits ? static_cast<uint64_t>(number) : 0;
    if (!fits || (row->power_of_two && (whole & (whole - 1)) != 0)) {
      return Fail(Code::kOutOfRange, "{} of a DDR3 memory is {}, it can be {} to {}{}", name,
                  value.dump(), row->least, row->most,
                  row->power_of_two ? ", a power of two" : ", whole");
    }
    p.*row->value = whole;
  }
  return p;
}

// Does the refreshes that are due until |now|: closes all rows; no command goes until the last
// refresh ends.
void Ddr3Channel::Refresh(uint64_t now) {
  const uint64_t due = now / p_.refi;
  if (due == refreshed_) return;
  refreshed_ = due;
  for (Bank& bank : banks_) {
    // An open row is closed first.
    const uint64_t begin = std::max(due * p_.refi, bank.open ? bank.precharge + p_.rp : bank.ready);
    bank = {.ready = begin + p_.rfc};
  }
}

Ddr3Channel::Times Ddr3Channel::Access(uint64_t now, uint64_t address, uint64_t bytes, bool write) {
  now += p_.controller;
  Refresh(now);
  Times times;
  bool begun = false;
  // One row at a time; neighbouring rows lie in neighbouring banks.
  while (bytes != 0) {
    const uint64_t in_row = std::min(bytes, p_.row_bytes - address % p_.row_bytes);
    Bank& bank = banks_[address / p_.row_bytes % p_.banks];
    const uint64_t row = address / (p_.row_bytes * p_.banks);
    uint64_t command = std::max(now, bank.ready);
    if (!bank.open || bank.row != row) {
      uint64_t activate = command;
      if (bank.open) activate = std::max(now, bank.precharge) + p_.rp;
      command = activate + p_.rcd;
      bank = {.open = true, .row = row, .ready = command, .precharge = activate + p_.ras};
    }
    if (!write) command = std::max(command, read_after_);
    const uint64_t latency = write ? p_.cwl : p_.cl;
    const uint64_t first = std::max(command + latency, bus_free_);
    const uint64_t per_clock = 2 * p_.bytes;
    const uint64_t end = first + (in_row + per_clock - 1) / per_clock;
    bus_free_ = end;
    bank.ready = first - latency + 1;
    bank.precharge = std::max(bank.precharge, write ? end + p_.wr : first - latency + 4);
    if (write) read_after_ = end + p_.wtr;
    if (!begun) times.first = first;
    begun = true;
    times.end = end;
    address += in_row;
    bytes -= in_row;
  }
  return times;
}

}  // namespace tessera::sim::cycle
