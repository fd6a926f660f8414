// SPDX-License-Identifier: Apache-2.0
//
// Each net has a number that says what drives it. It begins with what the net is by itself, a port
// or a constant, and in each round takes in the cells one step further back, until no round tells
// more cells apart.
#include "hw/netlist/design_key.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.h"

namespace tessera::netlist {
namespace {

using Json = nlohmann::json;

// Attributes that say where something comes from or how it was written, not what it is.
constexpr std::string_view kOfTheSource[] = {
    "src",           "hdlname",        "wiretype",    "single_bit_vector", "full_case",
    "parallel_case", "always_ff",      "always_comb", "cell_src",          "module_src",
    "module",        "module_hdlname", "unused_bits"};
constexpr std::string_view kMemoryName = "MEMID";  // a parameter of memories

uint64_t Join(uint64_t a, uint64_t b) { return Mix64(a * 0x9e3779b97f4a7c15u + b + 1); }
uint64_t Number(std::string_view text) {
  return Crc64({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// The instance of a cell: "$flatten\u_a.\u_b.$add$file:3$7" is in u_a.u_b, "$add$file:3$7" in the
// top. A cell that the source names is its own instance.
std::string InstanceOfCell(const std::string& name) {
  if (!name.starts_with('$')) return name;
  constexpr std::string_view kFlatten = "$flatten";
  if (!name.starts_with(kFlatten)) return "";
  std::string path;
  for (const char c : name.substr(kFlatten.size(), name.find(".$") - kFlatten.size())) {
    if (c != '\\') path += c;
  }
  return path;
}

// The pairs of an object, in the order of the keys (nlohmann sorts them).
uint64_t Pairs(const Json& object, std::string_view except = "") {
  uint64_t all = 0;
  for (const auto& [key, value] : object.items()) {
    if (key == except || std::ranges::count(kOfTheSource, key)) continue;
    all = Join(Join(all, Number(key)), Number(value.dump()));
  }
  return all;
}

struct Driven {
  uint64_t own = 0;  // of the port's name and the bit
  size_t net = 0;
};
struct KeyCell {
  uint64_t own = 0;           // type, parameters, attributes, instance
  std::vector<size_t> reads;  // nets, port by port
  std::vector<Driven> drives;
};

class Design {
 public:
  // Throws what nlohmann throws when a key is missing or has another type.
  explicit Design(const Json& module) {
    for (const auto& [name, net] : module.at("netnames").items()) {
      const auto& bits = net.at("bits");
      for (const auto& [key, value] : net.at("attributes").items()) {
        if (std::ranges::count(kOfTheSource, key)) continue;
        const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
        const bool each = key == "init";  // a character a bit, the highest first
        for (size_t i = 0; i < bits.size(); ++i) {
          const size_t at = NetOf(bits[i]);
          const std::string_view part =
              each ? std::string_view(text).substr(text.size() - 1 - i, 1) : text;
          own_[at] += Join(Number(key), Number(part));
        }
      }
    }
    for (const auto& [name, port] : module.at("ports").items()) {
      const auto& bits = port.at("bits");
      const std::string text = name + " " + port.at("direction").get<std::string>();
      for (size_t i = 0; i < bits.size(); ++i) {
        const size_t at = NetOf(bits[i]);
        const uint64_t own = Join(Number(text), i);
        if (port.at("direction") != "output") own_[at] += own;
        ports_.push_back({own, at});
      }
    }
    for (const auto& [name, cell] : module.at("cells").items()) AddCell(name, cell);
  }

  uint64_t Key() const {
    std::vector<uint64_t> nets = own_, cells(cells_.size());
    for (size_t known = 0;;) {
      std::vector<uint64_t> next = own_;
      for (size_t c = 0; c < cells_.size(); ++c) {
        cells[c] = cells_[c].own;
        for (const size_t net : cells_[c].reads) cells[c] = Join(cells[c], nets[net]);
        for (const Driven& d : cells_[c].drives) next[d.net] += Join(cells[c], d.own);
      }
      nets = std::move(next);
      const size_t now = std::unordered_set<uint64_t>(cells.begin(), cells.end()).size();
      if (now <= known) break;
      known = now;
    }
    uint64_t key = 0;  // sums: the order of cells and ports does not matter
    for (const uint64_t cell : cells) key += Mix64(cell);
    for (const Driven& port : ports_) key += Join(port.own, nets[port.net]);
    return key;
  }

 private:
  size_t NetOf(const Json& bit) {
    const auto [at, fresh] = nets_.emplace(bit.dump(), own_.size());
    if (fresh) own_.push_back(bit.is_string() ? Number(bit.get<std::string>()) : 0);
    return at->second;
  }

  void AddCell(const std::string& name, const Json& json) {
    KeyCell cell;
    cell.own = Join(Number(json.at("type").get<std::string>()), Number(InstanceOfCell(name)));
    cell.own = Join(cell.own, Pairs(json.at("parameters"), kMemoryName));
    cell.own = Join(cell.own, Pairs(json.at("attributes")));
    for (const auto& [port, bits] : json.at("connections").items()) {
      // A cell of a library has no directions here: all that it touches counts as read and driven.
      const bool known = json.contains("port_directions");
      const bool output = !known || json.at("port_directions").at(port) == "output";
      const bool input = !known || !output;
      cell.own = Join(Join(cell.own, Number(port)), bits.size());
      for (size_t i = 0; i < bits.size(); ++i) {
        const size_t net = NetOf(bits[i]);
        if (output) cell.drives.push_back({Join(Number(port), i), net});
        if (input) cell.reads.push_back(net);
      }
    }
    cells_.push_back(std::move(cell));
  }

  std::unordered_map<std::string, size_t> nets_;
  std::vector<uint64_t> own_;  // by net
  std::vector<KeyCell> cells_;
  std::vector<Driven> ports_;
};

}  // namespace

Result<uint64_t> DesignKey(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Fail(Code::kInvalidArgument, "not JSON");
  try {
    for (const auto& [name, module] : json.at("modules").items()) {
      if (module.at("attributes").contains("top")) return Design(module).Key();
    }
  } catch (const Json::exception& error) {
    return Fail(Code::kInvalidArgument, "not what write_json of yosys makes: {}", error.what());
  }
  return Fail(Code::kInvalidArgument,
              "no module is marked as top: write it with `hierarchy -top` and `write_json`");
}

}  // namespace tessera::netlist
