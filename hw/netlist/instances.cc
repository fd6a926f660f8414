// SPDX-License-Identifier: Apache-2.0
//
// Which instance a cell belongs to.
#include <algorithm>
#include <optional>

#include "hw/netlist/netlist.h"

namespace tessera::netlist {
namespace {

// The innermost instance around both.
std::string Around(const Netlist& netlist, std::string a, std::string b) {
  while (a != b) {
    std::string& longer = a.size() >= b.size() ? a : b;
    longer = OuterInstance(netlist, longer);
  }
  return a;
}

class Search {
 public:
  explicit Search(const Netlist& netlist)
      : netlist_(netlist),
        readers_(netlist.names.size()),
        found_(netlist.cells.size()),
        open_(netlist.cells.size()) {
    for (size_t c = 0; c < netlist.cells.size(); ++c) {
      for (const CellPort& port : netlist.cells[c].ports) {
        for (const int net : port.nets) {
          if (!port.output && net != kConstantNet) readers_[net].push_back(static_cast<int>(c));
        }
      }
    }
  }

  const std::string& Find(int c) {
    std::optional<std::string>& found = found_[c];
    if (found) return *found;
    const MappedCell& cell = netlist_.cells[c];
    std::string named = InstanceOf(netlist_, cell.name);
    for (const CellPort& port : cell.ports) {
      for (const int net : port.nets) {
        if (!named.empty() || !port.output || net == kConstantNet) continue;
        const std::string& name = netlist_.names[net];
        if (name.empty()) continue;
        found = InstanceOf(netlist_, name);
        return *found;
      }
    }
    if (!named.empty()) {
      found = std::move(named);
      return *found;
    }
    // The cells that it drives decide; a loop back to a cell still being searched is skipped.
    open_[c] = true;
    std::optional<std::string> around;
    for (const CellPort& port : cell.ports) {
      for (const int net : port.nets) {
        if (!port.output || net == kConstantNet) continue;
        for (const int reader : readers_[net]) {
          if (open_[reader]) continue;
          const std::string& there = Find(reader);
          around = around ? Around(netlist_, *around, there) : there;
        }
      }
    }
    open_[c] = false;
    found = around.value_or("");
    return *found;
  }

 private:
  const Netlist& netlist_;
  std::vector<std::vector<int>> readers_;  // by net: cells
  std::vector<std::optional<std::string>> found_;
  std::vector<char> open_;
};

}  // namespace

std::string OuterInstance(const Netlist& netlist, std::string path) {
  do {
    const size_t dot = path.rfind('.');
    if (dot == std::string::npos) return "";
    path.resize(dot);
  } while (!netlist.instances.contains(path));
  return path;
}

std::string InstanceOf(const Netlist& netlist, const std::string& name) {
  // Cells inside an instance may be called "$flatten\u_a.\u_b.$mul$...".
  std::string path;
  for (const char c : name.starts_with("$flatten") ? name.substr(8) : name) {
    if (c != '\\') path += c;
  }
  return OuterInstance(netlist, path + ".");
}

std::vector<std::string> InstancesOfCells(const Netlist& netlist) {
  Search search(netlist);
  std::vector<std::string> instances;
  for (size_t c = 0; c < netlist.cells.size(); ++c) {
    instances.push_back(search.Find(static_cast<int>(c)));
  }
  return instances;
}

}  // namespace tessera::netlist
