// SPDX-License-Identifier: Apache-2.0
//
// Bitstreams: the `.bit` file that the vendor's tool writes, and the `.bin` that the kernel's FPGA
// manager takes. Both formats are the vendor's. Depends on: base. Used by: hwh.h's users, tools
// (boards, flash).
//
//   .bit   00 09, nine bytes, 00 01; then fields: a letter, a length, bytes. a: design name with
//          ";UserID=0X...;Version=..."; b: part; c: date; d: time (length 2 bytes, text ends with a
//          zero byte); e: the stream (length 4 bytes), which ends the file. All big endian.
//   stream 32-bit words, big endian: all-ones and bus-width words, the sync word, packets. Before
//          the first data a packet names the part by its idcode.
//   .bin   the stream with the bytes of each word reversed
#ifndef TESSERA_RUNTIME_BITSTREAM_BIT_FILE_H_
#define TESSERA_RUNTIME_BITSTREAM_BIT_FILE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tessera {

inline constexpr uint32_t kSyncWord = 0xaa995566;

struct BitFile {
  std::string design;               // field a up to the first ';'
  std::optional<uint32_t> user_id;  // in field a; the low half of our configuration's hash
  std::string version;              // in field a: the tool's version, "2022.1"; "": not given
  std::string part;                 // field b: "7z020clg400", "xczu3eg-sbva484-1-e"
  std::string date, time;           // fields c and d
  std::vector<uint8_t> stream;      // field e: whole words
  std::optional<uint32_t> idcode;  // in the stream, without the revision; a compressed or encrypted
                                   // stream may not have one
  // The bytes of the file. |idcode| only repeats what the stream has; Bytes does not write it.
  std::vector<uint8_t> Bytes() const;
  // The bytes for the FPGA manager.
  std::vector<uint8_t> Bin() const;
};

// Reads |bytes| as a .bit file.
//   errors  kInvalidArgument  not a .bit file; fields in another order, repeated or missing
//           kDataLoss         an end inside a field, bytes after the fields, no sync word in the
//                             first 4,096 bytes, or a stream that is not whole words
Result<BitFile> ParseBit(std::span<const uint8_t> bytes);

// Whether |part|, as a .bit names it, is the part that the vendor's tool calls |wanted|; ignores
// the speed grade: "7z020clg400" is "xc7z020clg400-1".
bool SamePart(std::string_view part, std::string_view wanted);

// A stream for tests and simulated boards: preamble, sync word, |idcode|, |words| words of data
// drawn from |seed|, end. It configures nothing.
std::vector<uint8_t> SyntheticStream(uint32_t idcode, size_t words, uint64_t seed);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_BITSTREAM_BIT_FILE_H_
