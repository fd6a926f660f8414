// SPDX-License-Identifier: Apache-2.0
//
// Bitstreams of the ECP5, as ecppack writes them. Depends on: base. Used by: tools (boards, flash).
//
//   FF 00, texts that end with a zero byte, FF; FF FF BD B3; commands of a byte and three bytes of
//   operands. The first are dummies (FF), a reset of the checksum (3B), and the part's idcode: E2,
//   three bytes, four bytes, big endian.
#ifndef TESSERA_RUNTIME_BITSTREAM_ECP_FILE_H_
#define TESSERA_RUNTIME_BITSTREAM_ECP_FILE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tessera {

// boards/scripts/build.sh puts one text that begins so into a bitstream: the 16 hexadecimal digits
// of the configuration's hash follow.
inline constexpr std::string_view kEcpHash = "Tessera configuration ";

struct EcpFile {
  std::vector<std::string> texts;
  std::string part;     // "LFE5U-85F-6CABGA381", from the text "Part: ..."; "": there is none
  std::string hash;     // the digits after kEcpHash; "": there is none
  uint32_t idcode = 0;  // with its first digit, which tells variants of a die apart
};

// Reads the beginning of |bytes|.
//   errors  kInvalidArgument  no such file
//           kDataLoss         it ends early
Result<EcpFile> ParseEcp(std::span<const uint8_t> bytes);

// A file for tests: |texts|, the commands up to |idcode|, and nothing that configures a part.
std::vector<uint8_t> SyntheticEcp(const std::vector<std::string>& texts, uint32_t idcode);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_BITSTREAM_ECP_FILE_H_
