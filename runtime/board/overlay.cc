// SPDX-License-Identifier: Apache-2.0
#include "runtime/board/overlay.h"

#include <fmt/format.h>

namespace tessera {
namespace {

// 64-bit cells on zynqmp, 32-bit cells on zynq, as in the device trees that take the overlay.
std::string Cells(const BoardDescription& b, uint64_t value) {
  return b.family == BoardFamily::kZynqMp
             ? fmt::format("0x{:x} 0x{:x}", value >> 32, value & 0xffffffff)
             : fmt::format("0x{:x}", value);
}

// The fabric's first clock: number 15 of zynq's controller, number 71 of zynqmp's.
std::string Clock(const BoardDescription& b) {
  const char* const source = b.family == BoardFamily::kZynqMp ? "&zynqmp_clk 71" : "&clkc 15";
  return fmt::format(
      "      tessera-clock {{\n"
      "        compatible = \"xlnx,fclk\";\n"
      "        clocks = <{0}>;\n"
      "        assigned-clocks = <{0}>;\n"
      "        assigned-clock-rates = <{1}>;\n"
      "      }};\n",
      source, b.FabricHz());
}

// Port HPn is interface 2 + n of the fabric: its read width is field 4 + 2n, its write width the
// one after; 0 is 128 bits, 1 is 64, 2 is 32. Field 14 has the widths of the masters; 0: 32 bits.
std::string PortWidths(const BoardDescription& b) {
  if (b.family != BoardFamily::kZynqMp) return "";  // zynq: 64 bits out of reset
  const int port = b.port.back() - '0';
  const int width = b.port_bits == 128 ? 0 : b.port_bits == 64 ? 1 : 2;
  return fmt::format(
      "      tessera-ports {{\n"
      "        compatible = \"xlnx,afi-fpga\";\n"
      "        config-afi = <{0} {2}>, <{1} {2}>, <14 0>;\n"
      "      }};\n",
      4 + 2 * port, 5 + 2 * port, width);
}

}  // namespace

std::string OverlaySource(const BoardDescription& b) {
  const bool mp = b.family == BoardFamily::kZynqMp;
  const int cells = mp ? 2 : 1;
  return fmt::format(
      "/dts-v1/;\n"
      "/plugin/;\n"
      "// {title}, made by: tessera boards {name} --print overlay\n"
      "/ {{\n"
      "  fragment@0 {{\n"
      "    target-path = \"/\";\n"
      "    __overlay__ {{\n"
      "      #address-cells = <{cells}>;\n"
      "      #size-cells = <{cells}>;\n"
      "{ports}{clock}"
      "      {uio}@{base:x} {{\n"
      "        compatible = \"generic-uio\";\n"
      "        reg = <{base_cells} {size_cells}>;\n"
      "        interrupt-parent = <&{controller}>;\n"
      "        interrupts = <0 {interrupt} 4>;\n"
      "      }};\n"
      "      {udmabuf} {{\n"
      "        compatible = \"ikwzm,u-dma-buf\";\n"
      "        device-name = \"{udmabuf}\";\n"
      "        size = <0x{memory:x}>;\n"
      "      }};\n"
      "    }};\n"
      "  }};\n"
      "}};\n",
      fmt::arg("title", b.title), fmt::arg("name", b.name), fmt::arg("cells", cells),
      fmt::arg("ports", PortWidths(b)), fmt::arg("clock", Clock(b)), fmt::arg("uio", b.uio),
      fmt::arg("base", b.register_base), fmt::arg("base_cells", Cells(b, b.register_base)),
      fmt::arg("size_cells", Cells(b, b.register_bytes)),
      fmt::arg("controller", mp ? "gic" : "intc"), fmt::arg("interrupt", b.interrupt),
      fmt::arg("udmabuf", b.udmabuf), fmt::arg("memory", b.memory_bytes));
}

}  // namespace tessera
