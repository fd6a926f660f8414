// SPDX-License-Identifier: Apache-2.0
//
// Netlists made by hand, as yosys would write them. Depends on: hw/netlist. Used by: the tests
// here.
#ifndef TESSERA_TESTS_HW_NETLIST_NETLIST_TEXT_H_
#define TESSERA_TESTS_HW_NETLIST_NETLIST_TEXT_H_

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hw/netlist/netlist.h"

namespace tessera::netlist {

inline std::string CellText(const std::string& name, const std::string& type,
                            const std::string& inputs, const std::string& outputs,
                            const std::string& parameters = "") {
  // "D:2 CE:3,4" -> directions and connections
  std::string directions, connections;
  const auto add = [&](const std::string& ports, const char* direction) {
    size_t at = 0;
    while (at < ports.size()) {
      const size_t colon = ports.find(':', at), end = std::min(ports.find(' ', at), ports.size());
      const std::string port = ports.substr(at, colon - at);
      if (!directions.empty()) directions += ", ", connections += ", ";
      directions += fmt::format(R"("{}": "{}")", port, direction);
      connections += fmt::format(R"("{}": [{}])", port, ports.substr(colon + 1, end - colon - 1));
      at = end + 1;
    }
  };
  add(inputs, "input");
  add(outputs, "output");
  return fmt::format(
      R"("{}": {{"hide_name": 0, "type": "{}", "parameters": {{{}}}, "attributes": {{}},
          "port_directions": {{{}}}, "connections": {{{}}}}})",
      name, type, parameters, directions, connections);
}

inline std::string InstanceText(const std::string& path, const std::string& module) {
  return fmt::format(
      R"("{}": {{"hide_name": 0, "type": "$scopeinfo", "parameters": {{}},
          "attributes": {{"module": "$paramod\\{}", "module_hdlname": "{}"}},
          "port_directions": {{}}, "connections": {{}}}})",
      path, module, module);
}

inline std::string NameText(const std::string& name, const std::string& bits, int hidden = 0) {
  return fmt::format(R"("{}": {{"hide_name": {}, "bits": [{}], "attributes": {{}}}})", name, hidden,
                     bits);
}

// A module called top, beside a model of a library cell that the reader must skip.
inline std::string ModuleText(const std::vector<std::string>& cells,
                              const std::vector<std::string>& names) {
  return fmt::format(R"({{"creator": "by hand", "modules": {{
      "LUT1": {{"attributes": {{"blackbox": "1"}}, "ports": {{}}, "cells": {{"x": {{"type": "$_NOT_"}}}}, "netnames": {{}}}},
      "top": {{"attributes": {{"top": "00000000000000000000000000000001"}},
               "ports": {{"a_i": {{"direction": "input", "bits": [2]}}, "q_o": {{"direction": "output", "bits": [9]}}}},
               "cells": {{{}}}, "netnames": {{{}}}}}}}}})",
                     fmt::join(cells, ",\n"), fmt::join(names, ",\n"));
}

inline Netlist ReadText(const std::string& text) {
  Result<Netlist> netlist = ReadNetlist(text);
  EXPECT_TRUE(netlist) << netlist.error().message;
  return netlist ? *netlist : Netlist{};
}

}  // namespace tessera::netlist

#endif  // TESSERA_TESTS_HW_NETLIST_NETLIST_TEXT_H_
