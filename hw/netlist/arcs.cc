// SPDX-License-Identifier: Apache-2.0
#include "hw/netlist/arcs.h"

#include <algorithm>
#include <cctype>

#include "hw/netlist/spans.h"

namespace tessera::netlist {
namespace {

class Builder {
 public:
  Builder(const Netlist& netlist, const CellDelays& delays)
      : netlist_(netlist), delays_(delays), from_lut_(netlist.names.size()) {
    const size_t nets = netlist.names.size();
    graph_.arcs.resize(nets);
    graph_.begins.resize(nets, -1);
    graph_.driver.resize(nets, -1);
    graph_.fan_out.resize(nets);
  }

  TimingGraph Build() {
    for (size_t c = 0; c < netlist_.cells.size(); ++c) {
      for (const CellPort& port : netlist_.cells[c].ports) {
        for (const int net : port.nets) {
          if (net == kConstantNet) continue;
          if (!port.output) ++graph_.fan_out[net];
          if (port.output) graph_.driver[net] = static_cast<int>(c);
          if (port.output && netlist_.cells[c].row->kind == CellKind::kLut) from_lut_[net] = true;
        }
      }
    }
    for (const CellPort& port : netlist_.ports) {
      cell_ = -1;
      for (const int net : port.nets) {
        if (net == kConstantNet) continue;
        if (port.output) {
          ++graph_.fan_out[net];
          End(net, delays_.ff_in, false, port.name);
        } else {
          graph_.begins[net] = delays_.ff_out;
        }
      }
    }
    for (size_t c = 0; c < netlist_.cells.size(); ++c) {
      cell_ = static_cast<int>(c);
      Cell(netlist_.cells[c]);
    }
    return std::move(graph_);
  }

 private:
  void Arc(int from, int to, double delay, bool in_slice) {
    if (from != kConstantNet && to != kConstantNet)
      graph_.arcs[to].push_back({from, delay, in_slice});
  }
  void Begin(const CellPort& port, double delay) {
    for (const int net : port.nets) {
      if (net != kConstantNet) graph_.begins[net] = delay;
    }
  }
  void End(int net, double setup, bool in_slice, const std::string& pin) {
    if (net != kConstantNet) graph_.ends.push_back({net, setup, in_slice, cell_, pin});
  }
  void End(const CellPort& port, double setup) {
    for (const int net : port.nets) End(net, setup, false, port.name);
  }
  static const std::vector<int>& Nets(const MappedCell& cell, std::string_view name) {
    static const std::vector<int> none;
    const auto port = std::ranges::find(cell.ports, name, &CellPort::name);
    return port == cell.ports.end() ? none : port->nets;
  }
  static int64_t Register(const MappedCell& cell, const char* name, int64_t otherwise) {
    const auto found = cell.registers.find(name);
    return found == cell.registers.end() ? otherwise : found->second;
  }
  // Adds an arc from an input to an output for every pair whose names |joins| accepts.
  template <typename Joins>
  void Through(const MappedCell& cell, double delay, Joins joins) {
    for (const CellPort& out : cell.ports) {
      for (const CellPort& in : cell.ports) {
        if (!out.output || in.output || !joins(in.name, out.name)) continue;
        for (const int to : out.nets) {
          for (const int from : in.nets) Arc(from, to, delay, false);
        }
      }
    }
  }

  void Cell(const MappedCell& cell) {
    switch (cell.row->kind) {
      case CellKind::kLut:
        Through(cell, delays_.lut, [](auto&, auto&) { return true; });
        break;
      case CellKind::kBuffer:
        for (const int from : Nets(cell, "I")) {
          for (const int to : Nets(cell, "O")) Arc(from, to, 0, true);
        }
        break;
      case CellKind::kMux:
        // Data come from LUTs and other such cells beside it, the select (S, C0, SD) from anywhere.
        for (const CellPort& in : cell.ports) {
          const bool select = in.name == "S" || in.name == "C0" || in.name == "SD";
          for (const int from : in.nets) {
            if (!in.output) Through(cell, from, delays_.mux, !select);
          }
        }
        break;
      case CellKind::kCarry:
        Carry(cell);
        break;
      case CellKind::kCarry2:
        Carry2(cell);
        break;
      case CellKind::kFlop:
        for (const CellPort& port : cell.ports) {
          if (port.output) Begin(port, delays_.ff_out);
          if (port.name == "D" || port.name == "DI") {
            for (const int net : port.nets) {
              End(net, delays_.ff_in, net != kConstantNet && from_lut_[net], port.name);
            }
          }
          if (port.name == "CE") End(port, delays_.ff_enable);
          if (port.name == "R" || port.name == "S" || port.name == "CLR" || port.name == "PRE" ||
              port.name == "LSR") {
            End(port, delays_.ff_reset);
          }
        }
        break;
      case CellKind::kLutRam:
        LutRam(cell);
        break;
      case CellKind::kShift:
        for (const CellPort& port : cell.ports) {
          if (port.output) Begin(port, delays_.shift_out);
          if (port.name == "D" || port.name == "CE") End(port, delays_.ram_in);
        }
        Through(cell, delays_.lut, [](const std::string& in, auto&) { return in[0] == 'A'; });
        break;
      case CellKind::kBram:
        for (const CellPort& port : cell.ports) {
          // DOADO, DOUTADOUT, ... are port A's; DOBDO and so on port B's.
          const char* reg = port.name.find("BD") == std::string::npos ? "DOA_REG" : "DOB_REG";
          if (port.output) {
            Begin(port, Register(cell, reg, 0) ? delays_.bram_out_register : delays_.bram_out);
          } else if (port.name.find("CLK") == std::string::npos) {
            End(port, delays_.bram_in);
          }
        }
        break;
      case CellKind::kDsp:
        Dsp(cell);
        break;
      case CellKind::kMult:  // without registers: yosys uses none of them
        Through(cell, delays_.dsp_through, [](const std::string& in, const std::string&) {
          return in.size() > 1 && (in[0] == 'A' || in[0] == 'B') && std::isdigit(in[1]) != 0;
        });
        break;
      case CellKind::kConstant:
        break;
    }
  }

  // O[i] and CO[i] depend on S[0..i], DI[0..i] and the carry in. The LUT beside the carry cell
  // drives S; a signal from any other driver passes through that LUT first.
  void Carry(const MappedCell& cell) {
    const auto &s = Nets(cell, "S"), &di = Nets(cell, "DI");
    const auto outputs = [&](const std::vector<int>& outs, bool sum) {
      for (size_t i = 0; i < outs.size(); ++i) {
        for (const char* in : {"CI", "CI_TOP", "CYINIT"}) {
          for (const int from : Nets(cell, in)) {
            Arc(from, outs[i], sum ? delays_.carry_to_sum : delays_.carry, true);
          }
        }
        for (size_t j = 0; j <= i && j < s.size(); ++j) {
          const double here = delays_.carry_from_s + (sum ? 0.1 : 0);
          const bool beside = s[j] != kConstantNet && from_lut_[s[j]];
          Arc(s[j], outs[i], (sum && j == i ? delays_.s_to_sum : here) + (beside ? 0 : delays_.lut),
              beside);
          if (j < di.size() && (!sum || j < i)) Arc(di[j], outs[i], here, false);
        }
      }
    };
    outputs(Nets(cell, "CO"), false);
    outputs(Nets(cell, "O"), true);
  }

  // Two bits of a chain, each with the LUT that adds it: A0 to D0 are its inputs, S0 its sum.
  void Carry2(const MappedCell& cell) {
    for (const CellPort& in : cell.ports) {
      if (in.output) continue;
      for (const CellPort& out : cell.ports) {
        const bool last = in.name.back() == '1';
        if (!out.output || (last && out.name == "S0")) continue;
        const bool own = out.name[0] == 'S' && out.name.back() == in.name.back();
        double delay = own ? delays_.s_to_sum : delays_.carry_from_s;
        if (in.name == "CIN") delay = out.name == "COUT" ? delays_.carry : delays_.carry_to_sum;
        for (const int from : in.nets) {
          for (const int to : out.nets) Arc(from, to, delay, in.name == "CIN");
        }
      }
    }
  }

  // A read has the delay of a LUT; writes are clocked. RAM64M: ADDRA addresses DOA, and ADDRD
  // addresses DOD and every write. TRELLIS_DPR16X4: RAD addresses DO.
  void LutRam(const MappedCell& cell) {
    for (const CellPort& port : cell.ports) {
      if (port.output) Begin(port, delays_.ram_out);
      const bool reads_only =
          port.name.starts_with("DPRA") || port.name == "RAD" ||
          (port.name.starts_with("ADDR") && port.name != "ADDRD" && port.name != "ADDRH");
      if (!port.output && port.name != "WCLK" && port.name != "WCK" && !reads_only)
        End(port, delays_.ram_in);
    }
    Through(cell, delays_.lut, [](const std::string& in, const std::string& out) {
      if (in.starts_with("ADDR")) return out.back() == in.back();
      if (in.starts_with("DPRA")) return out == "DPO";
      if (in == "RAD") return true;
      return in[0] == 'A' && out != "DPO";
    });
  }

  void Dsp(const MappedCell& cell) {
    const bool m = Register(cell, "MREG", 1), p = Register(cell, "PREG", 1);
    const bool ad = Register(cell, "ADREG", 1);
    const bool a = Register(cell, "AREG", 1), b = Register(cell, "BREG", 1);
    const double through = delays_.dsp_through;
    for (const CellPort& port : cell.ports) {
      const std::string& name = port.name;
      const bool control = name.starts_with("CE") || name.starts_with("RST") ||
                           name.ends_with("MODE") || name.starts_with("CARRYIN");
      if (port.output) {
        if (p || m || a || b) Begin(port, p ? delays_.dsp_p : m ? delays_.dsp_m : delays_.dsp_ab);
      } else if (control) {
        End(port, delays_.dsp_in);
      } else if (name == "PCIN") {
        for (const int net : port.nets) {
          if (p) End(net, delays_.dsp_cascade, true, name);
          if (!p) Through(cell, net, delays_.dsp_cascade, true);
        }
      } else if (name == "A" || name == "B" || name == "D" || name == "ACIN" || name == "BCIN") {
        const bool cascade = name.size() == 4;
        const bool pre_added = name == "D" && ad;
        const bool own = name[0] == 'A' ? a : name[0] == 'B' ? b : Register(cell, "DREG", 1) != 0;
        for (const int net : port.nets) {
          if (own || pre_added)
            End(net, delays_.dsp_in, cascade, name);
          else if (m)
            End(net, delays_.dsp_to_m, cascade, name);
          else if (p)
            End(net, through - delays_.dsp_p, cascade, name);
          else
            Through(cell, net, through, cascade);
        }
      } else if (name == "C") {
        const bool own = Register(cell, "CREG", 1);
        for (const int net : port.nets) {
          if (own)
            End(net, delays_.dsp_in, false, name);
          else if (p)
            End(net, delays_.dsp_c, false, name);
          else
            Through(cell, net, delays_.dsp_c, false);
        }
      }
    }
  }
  void Through(const MappedCell& cell, int from, double delay, bool in_slice) {
    for (const CellPort& out : cell.ports) {
      for (const int to : out.nets) {
        if (out.output) Arc(from, to, delay, in_slice);
      }
    }
  }

  const Netlist& netlist_;
  const CellDelays& delays_;
  std::vector<bool> from_lut_;
  TimingGraph graph_;
  int cell_ = -1;
};

}  // namespace

TimingGraph MakeTimingGraph(const Netlist& netlist, const std::vector<std::string>& instances,
                            const CellDelays& delays) {
  TimingGraph graph = Builder(netlist, delays).Build();
  graph.terms = TermsOfWires(netlist, instances, delays);
  return graph;
}

}  // namespace tessera::netlist
