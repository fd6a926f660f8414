// SPDX-License-Identifier: Apache-2.0
//
// A netlist that yosys mapped for a Xilinx or an ECP5 part and wrote with write_json: the cells and
// nets of one flattened module, and which module of the source each belongs to.
//
// A net is one wire, identified by its number in the file. Its name is the RTL name nearest to its
// driver. Of the names that yosys knows for a wire, those ending in _i or _ni (inputs) come last,
// then the one deepest in the hierarchy wins. Wires inside logic have no name.
//
// Depends on: base. Used by: area.h, timing.h.
#ifndef TESSERA_HW_NETLIST_NETLIST_H_
#define TESSERA_HW_NETLIST_NETLIST_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tessera::netlist {

enum class CellKind : uint8_t {
  kLut,
  kBuffer,  // passes its input on: inverters, pads, clock buffers
  kMux,     // MUXF7 and the like
  kCarry,
  kCarry2,  // two bits of a chain with their LUTs
  kFlop,
  kLutRam,
  kShift,  // shift registers in LUTs
  kDsp,
  kMult,  // a multiplier without an adder
  kBram,
  kConstant,
};

// A line of cells.def.
struct CellRow {
  std::string_view type;
  CellKind kind;
  int lut, ff, dsp, bram18;
};

// The row of |type|, or null.
const CellRow* FindCell(std::string_view type);

inline constexpr int kConstantNet = -1;  // in place of a net: 0, 1 or nothing is connected

// A port of a cell, or of the module: its bits, low first.
struct CellPort {
  std::string name;
  bool output = false;
  std::vector<int> nets;
};

struct MappedCell {
  std::string name;
  const CellRow* row = nullptr;
  std::map<std::string, int64_t> registers;  // parameters whose names contain REG
  std::vector<CellPort> ports;
};

struct Netlist {
  std::string top;
  std::vector<CellPort> ports;  // of the module
  std::vector<MappedCell> cells;
  std::vector<std::string> names;                // by net; empty: none
  std::map<std::string, std::string> instances;  // path ("u_units.u_load") -> module; "" -> top
};

// Reads the module that the text marks as top.
//   errors  kInvalidArgument  not JSON, or not what yosys writes; no top
//           kUnsupported      a cell that cells.def does not list
Result<Netlist> ReadNetlist(std::string_view text);

// The path of the innermost instance around the instance |path|; "", the top, has none but itself.
std::string OuterInstance(const Netlist& netlist, std::string path);

// The path of the innermost instance that holds the net or cell |name|.
std::string InstanceOf(const Netlist& netlist, const std::string& name);

// By cell: the path of its instance. The cell's own name decides if it names an instance, else the
// name of a net that it drives. A cell without either belongs to the innermost instance around all
// the cells it drives.
std::vector<std::string> InstancesOfCells(const Netlist& netlist);

}  // namespace tessera::netlist

#endif  // TESSERA_HW_NETLIST_NETLIST_H_
