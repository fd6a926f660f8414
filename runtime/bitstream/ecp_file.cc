// SPDX-License-Identifier: Apache-2.0
#include "runtime/bitstream/ecp_file.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr uint8_t kTextsBegin[] = {0xff, 0x00};
constexpr uint8_t kTextsEnd = 0xff;
constexpr uint8_t kEcpPreamble[] = {0xff, 0xff, 0xbd, 0xb3};
constexpr uint8_t kDummy = 0xff, kResetCrc = 0x3b, kVerifyId = 0xe2;
constexpr size_t kOperands = 3;
constexpr std::string_view kPart = "Part: ";

Error EndsEarly(const char* in) {
  return Error{Code::kDataLoss, fmt::format("it ends in {}: copy or build it again", in)};
}

}  // namespace

Result<EcpFile> ParseEcp(std::span<const uint8_t> bytes) {
  if (bytes.size() < 2 ||
      !std::equal(std::begin(kTextsBegin), std::end(kTextsBegin), bytes.begin()))
    return Fail(Code::kInvalidArgument,
                "it is no bitstream of an ECP5: it does not begin with the bytes FF 00");
  EcpFile file;
  size_t at = 2;
  while (at < bytes.size() && bytes[at] != kTextsEnd) {
    std::string text;
    while (at < bytes.size() && bytes[at] != 0) text += static_cast<char>(bytes[at++]);
    if (at == bytes.size()) return std::unexpected(EndsEarly("a text"));
    ++at;
    if (text.starts_with(kPart)) file.part = text.substr(kPart.size());
    if (text.starts_with(kEcpHash)) file.hash = text.substr(kEcpHash.size());
    file.texts.push_back(std::move(text));
  }
  ++at;  // kTextsEnd
  if (at + 4 > bytes.size()) return std::unexpected(EndsEarly("its head"));
  if (!std::equal(std::begin(kEcpPreamble), std::end(kEcpPreamble),
                  bytes.begin() + static_cast<ptrdiff_t>(at)))
    return Fail(Code::kInvalidArgument, "it is no bitstream of an ECP5: FF FF BD B3 is missing");
  for (at += 4; at < bytes.size() && (bytes[at] == kDummy || bytes[at] == kResetCrc);)
    at += bytes[at] == kDummy ? 1 : 1 + kOperands;
  if (at + 1 + kOperands + 4 > bytes.size())
    return std::unexpected(EndsEarly("its first commands"));
  if (bytes[at] != kVerifyId)
    return Fail(Code::kInvalidArgument,
                "its first command is {:02x}, expected is the idcode's, {:02x}", bytes[at],
                kVerifyId);
  for (size_t i = 0; i < 4; ++i) file.idcode = file.idcode << 8 | bytes[at + 1 + kOperands + i];
  return file;
}

std::vector<uint8_t> SyntheticEcp(const std::vector<std::string>& texts, uint32_t idcode) {
  std::vector<uint8_t> bytes(std::begin(kTextsBegin), std::end(kTextsBegin));
  for (const std::string& text : texts) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    bytes.push_back(0);
  }
  bytes.push_back(kTextsEnd);
  bytes.insert(bytes.end(), std::begin(kEcpPreamble), std::end(kEcpPreamble));
  bytes.insert(bytes.end(),
               {kDummy, kDummy, kDummy, kDummy, kResetCrc, 0, 0, 0, kVerifyId, 0, 0, 0});
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<uint8_t>(idcode >> shift));
  bytes.resize(bytes.size() + 64);
  return bytes;
}

}  // namespace tessera
