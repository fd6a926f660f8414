// SPDX-License-Identifier: Apache-2.0
//
// Ports of a Verilated model as bytes, whatever their width: Verilator makes ports of up to 64 bits
// integers and wider ones arrays of 32-bit words, so a port's type follows the configuration.
#ifndef TESSERA_TESTS_HW_GEMM_PORT_BYTES_H_
#define TESSERA_TESTS_HW_GEMM_PORT_BYTES_H_

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace tessera::hw {

// port = |bytes| bytes at |from|, little-endian; the rest of the port becomes zero.
template <typename Port>
void SetPort(Port& port, const void* from, size_t bytes) {
  if constexpr (std::is_integral_v<Port>) {
    uint64_t value = 0;
    std::memcpy(&value, from, bytes < 8 ? bytes : 8);
    port = static_cast<Port>(value);
  } else {
    std::memset(&port[0], 0, sizeof(port));
    std::memcpy(&port[0], from, bytes);
  }
}

// |bytes| bytes at |to| = port.
template <typename Port>
void GetPort(const Port& port, void* to, size_t bytes) {
  if constexpr (std::is_integral_v<Port>) {
    const uint64_t value = port;
    std::memcpy(to, &value, bytes);
  } else {
    std::memcpy(to, &port[0], bytes);
  }
}

// Sets each byte of |to| to the byte of |table| for the int8 value in |index|: number value + 128.
// Returns whether |to| has changed.
template <typename Port>
bool LookUp(const std::vector<int8_t>& table, const Port& index, Port& to) {
  int8_t values[sizeof(Port)], before[sizeof(Port)], bytes[sizeof(Port)];
  GetPort(index, values, sizeof(Port));
  GetPort(to, before, sizeof(Port));
  for (size_t n = 0; n < sizeof(Port); ++n) bytes[n] = table[static_cast<size_t>(values[n] + 128)];
  SetPort(to, bytes, sizeof(Port));
  return std::memcmp(bytes, before, sizeof(Port)) != 0;
}

// Every byte of the port becomes |value|.
template <typename Port>
void FillPort(Port& port, int value, size_t bytes) {
  if constexpr (std::is_integral_v<Port>) {
    const uint64_t word = 0x0101010101010101u * static_cast<uint8_t>(value);
    SetPort(port, &word, bytes);
  } else {
    std::memset(&port[0], value, bytes);
  }
}

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_GEMM_PORT_BYTES_H_
