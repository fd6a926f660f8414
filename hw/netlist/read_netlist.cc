// SPDX-License-Identifier: Apache-2.0
//
// write_json of yosys: {"modules": {NAME: {"attributes": {"top": ...}, "ports": {...}, "cells":
// {...}, "netnames": {...}}}}. The reader takes events: as a tree, the text of `default` takes
// gigabytes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "hw/netlist/netlist.h"

namespace tessera::netlist {
namespace {

// Prefers deep names, and inputs last: an input's name tells a wire's reader, not its driver.
bool NearerToDriver(const std::string& name, const std::string& than) {
  const auto rank = [](const std::string& text) {
    const std::string_view plain =
        std::string_view(text).substr(0, text.find_last_not_of("[0123456789]") + 1);
    const bool input = plain.ends_with("_i") || plain.ends_with("_ni");
    return std::tuple(!input, std::ranges::count(text, '.'), -std::ssize(text));
  };
  return rank(name) > rank(than);
}

// yosys writes numbers as themselves or as strings of binary digits.
int64_t Number(const std::string& text) {
  int64_t value = 0;
  for (const char c : text) value = 2 * value + (c == '1');
  return value;
}

class Reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool binary(nlohmann::json::binary_t&) override { return true; }
  bool number_integer(int64_t value) override { return Integer(value); }
  bool number_unsigned(uint64_t value) override { return Integer(static_cast<int64_t>(value)); }
  bool string(std::string& text) override {
    if (InBits()) {
      bits_.push_back(kConstantNet);
    } else if (At(4, "attributes") && keys_[3] == "top") {
      is_top_ = true;
    } else if (At(5, "ports") && keys_[4] == "direction") {
      output_ = text == "output";
    } else if (At(5, "cells") && keys_[4] == "type") {
      type_ = text;
    } else if (At(6, "cells") && keys_[4] == "parameters") {
      Parameter(Number(text));
    } else if (At(6, "cells") && keys_[4] == "attributes" && keys_[5] == "module") {
      if (module_.empty()) module_ = text;
    } else if (At(6, "cells") && keys_[4] == "attributes" && keys_[5] == "module_hdlname") {
      module_ = text;  // without the parameters that `module` carries
    } else if (At(6, "cells") && keys_[4] == "port_directions") {
      directions_[keys_[5]] = text == "output";
    }
    return true;
  }
  bool start_object(size_t) override {
    keys_.emplace_back();
    return true;
  }
  bool key(std::string& text) override {
    keys_.back() = text;
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    // The object that has just ended is the value of the innermost open key.
    if (keys_.size() == 4 && keys_[0] == "modules") {
      if (keys_[2] == "cells") EndCell();
      if (keys_[2] == "ports") found_.ports.push_back({keys_[3], output_, std::move(bits_)});
      if (keys_[2] == "netnames") EndName();
      bits_.clear();
      offset_ = 0;
      hidden_ = false;
    } else if (keys_.size() == 2 && keys_[0] == "modules") {
      EndModule();
    }
    return true;
  }
  bool start_array(size_t) override { return true; }
  bool end_array() override {
    if (At(6, "cells") && keys_[4] == "connections") {
      ports_.push_back({keys_[5], false, std::move(bits_)});
      bits_.clear();
    }
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) override {
    error_ = fmt::format("not JSON at byte {}", position);
    return false;
  }

  Result<Netlist> Take() {
    if (!error_.empty()) return Fail(Code::kInvalidArgument, "{}", error_);
    if (!unknown_.empty()) {
      return Fail(
          Code::kUnsupported,
          "cell {} has type {}, which hw/netlist/cells.def does not list: add it, or map for xc7, "
          "xcup or ecp5",
          unknown_cell_, unknown_);
    }
    if (top_.top.empty()) {
      return Fail(Code::kInvalidArgument,
                  "no module is marked as top: write it with `synth_xilinx -top` and `write_json`");
    }
    top_.instances[""] = top_.top;
    return std::move(top_);
  }

 private:
  // Whether the value belongs to |part| of a module, |depth| keys down.
  bool At(size_t depth, std::string_view part) const {
    return keys_.size() == depth && keys_[0] == "modules" && keys_[2] == part;
  }
  bool InBits() const {
    return (At(6, "cells") && keys_[4] == "connections") ||
           ((At(5, "ports") || At(5, "netnames")) && keys_[4] == "bits");
  }
  bool Integer(int64_t value) {
    if (InBits()) {
      if (value < 0 || value > kMostNets) {
        error_ = fmt::format("net {} is not between 0 and {}", value, kMostNets);
        return false;
      }
      bits_.push_back(static_cast<int>(value));
    } else if (At(6, "cells") && keys_[4] == "parameters") {
      Parameter(value);
    } else if (At(5, "netnames") && keys_[4] == "hide_name") {
      hidden_ = value != 0;
    } else if (At(5, "netnames") && keys_[4] == "offset") {
      offset_ = value;
    }
    return true;
  }
  void Parameter(int64_t value) {
    if (keys_[5].find("REG") != std::string::npos) registers_[keys_[5]] = value;
  }
  void EndCell() {
    if (type_ == "$scopeinfo") {
      found_.instances[keys_[3]] = module_;
    } else if (const CellRow* row = FindCell(type_)) {
      for (CellPort& port : ports_) port.output = directions_[port.name];
      found_.cells.push_back({keys_[3], row, std::move(registers_), std::move(ports_)});
    } else if (unknown_.empty()) {
      found_unknown_ = type_;
      found_unknown_cell_ = keys_[3];
    }
    registers_.clear();
    ports_.clear();
    directions_.clear();
    module_.clear();
  }
  void EndName() {
    for (size_t i = 0; !hidden_ && i < bits_.size(); ++i) {
      if (bits_[i] == kConstantNet) continue;
      if (found_.names.size() <= static_cast<size_t>(bits_[i])) found_.names.resize(bits_[i] + 1);
      std::string name = keys_[3];
      if (bits_.size() > 1) name += fmt::format("[{}]", static_cast<int64_t>(i) + offset_);
      std::string& best = found_.names[bits_[i]];
      if (best.empty() || NearerToDriver(name, best)) best = std::move(name);
    }
  }
  // Modules that are not top are models of library cells.
  void EndModule() {
    if (is_top_) {
      top_ = std::move(found_);
      top_.top = keys_[1];
      unknown_ = found_unknown_;
      unknown_cell_ = found_unknown_cell_;
    }
    found_ = {};
    found_unknown_.clear();
    is_top_ = false;
  }

  static constexpr int64_t kMostNets = int64_t{1} << 26;
  std::vector<std::string> keys_;  // open objects: the key in each
  bool is_top_ = false;
  Netlist found_, top_;
  std::string error_, unknown_, unknown_cell_, found_unknown_, found_unknown_cell_;
  // State of the cell, port or name that is being read.
  std::vector<int> bits_;
  bool output_ = false, hidden_ = false;
  int64_t offset_ = 0;
  std::string type_, module_;
  std::map<std::string, int64_t> registers_;
  std::map<std::string, bool> directions_;
  std::vector<CellPort> ports_;
};

}  // namespace

const CellRow* FindCell(std::string_view type) {
  static constexpr CellRow kRows[] = {
#define CELL(type, kind, lut, ff, dsp, bram18) {#type, CellKind::kind, lut, ff, dsp, bram18},
#include "hw/netlist/cells.def"
#undef CELL
  };
  const auto* row = std::ranges::find(kRows, type, &CellRow::type);
  return row == std::end(kRows) ? nullptr : row;
}

Result<Netlist> ReadNetlist(std::string_view text) {
  Reader reader;
  nlohmann::json::sax_parse(text, &reader);
  TESSERA_ASSIGN(Netlist netlist, reader.Take());
  size_t nets = netlist.names.size();
  const auto count = [&nets](const CellPort& port) {
    for (const int net : port.nets) nets = std::max(nets, static_cast<size_t>(net + 1));
  };
  for (const MappedCell& cell : netlist.cells) std::ranges::for_each(cell.ports, count);
  std::ranges::for_each(netlist.ports, count);
  netlist.names.resize(nets);
  return netlist;
}

}  // namespace tessera::netlist
