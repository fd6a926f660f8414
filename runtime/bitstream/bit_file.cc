// SPDX-License-Identifier: Apache-2.0
#include "runtime/bitstream/bit_file.h"

#include <algorithm>

#include "base/number.h"
#include "base/rng.h"

namespace tessera {
namespace {

// Every .bit begins with these nine bytes, their length before them and a 1 after them.
constexpr uint8_t kPreamble[] = {0x00, 0x09, 0x0f, 0xf0, 0x0f, 0xf0, 0x0f,
                                 0xf0, 0x0f, 0xf0, 0x00, 0x00, 0x01};
constexpr size_t kSyncWithin = 4096;           // bytes of the stream
constexpr size_t kIdcodeWithin = 4096;         // bytes after the sync word
constexpr uint32_t kWriteIdcode = 0x30018001;  // type 1 packet, one word to register 12
constexpr uint32_t kRevision = 0xf0000000;     // of an idcode

uint32_t Word(std::span<const uint8_t> bytes, size_t at) {
  return static_cast<uint32_t>(bytes[at]) << 24 | static_cast<uint32_t>(bytes[at + 1]) << 16 |
         static_cast<uint32_t>(bytes[at + 2]) << 8 | static_cast<uint32_t>(bytes[at + 3]);
}

void Put(std::vector<uint8_t>& out, uint32_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

class BitReader {
 public:
  explicit BitReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // The bytes of field |letter|; its length takes |length_bytes| bytes.
  Result<std::span<const uint8_t>> Field(char letter, size_t length_bytes) {
    if (Left() == 0) return Fail(Code::kDataLoss, "it ends before field {}", letter);
    if (bytes_[at_] != letter)
      return Fail(Code::kInvalidArgument, "byte {} is 0x{:02x}, field {} should begin there", at_,
                  bytes_[at_], letter);
    ++at_;
    if (Left() < length_bytes)
      return Fail(Code::kDataLoss, "it ends inside the length of field {}", letter);
    uint64_t length = 0;
    for (size_t i = 0; i < length_bytes; ++i) length = length << 8 | bytes_[at_++];
    if (length > Left())
      return Fail(Code::kDataLoss, "field {} has {} bytes, {} are left: the file is cut off",
                  letter, length, Left());
    const auto field = bytes_.subspan(at_, static_cast<size_t>(length));
    at_ += static_cast<size_t>(length);
    return field;
  }

  // A field of text, without the zero byte that ends it.
  Result<std::string> TextField(char letter) {
    TESSERA_ASSIGN(const std::span<const uint8_t> bytes, Field(letter, 2));
    if (bytes.empty() || bytes.back() != 0)
      return Fail(Code::kInvalidArgument, "field {} does not end with a zero byte", letter);
    return std::string(bytes.begin(), bytes.end() - 1);
  }

  size_t Left() const { return bytes_.size() - at_; }
  void Skip(size_t bytes) { at_ += bytes; }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

// Splits "tessera;UserID=0X1234ABCD;Version=2022.1" into its parts.
void ReadDesign(const std::string& text, BitFile& file) {
  size_t from = 0;
  for (bool first = true; from <= text.size(); first = false) {
    const size_t to = std::min(text.find(';', from), text.size());
    const std::string word = text.substr(from, to - from);
    from = to + 1;
    if (first) file.design = word;
    if (word.starts_with("Version=")) file.version = word.substr(8);
    if (!word.starts_with("UserID=0X") && !word.starts_with("UserID=0x")) continue;
    if (const auto id = NumberIn<uint32_t>(word.substr(9), 16)) file.user_id = *id;
  }
}

Status CheckStream(BitFile& file) {
  if (file.stream.size() % 4 != 0)
    return Fail(Code::kDataLoss, "the stream has {} bytes, it must be whole words of 4",
                file.stream.size());
  const size_t most = std::min(kSyncWithin, file.stream.size());
  size_t at = 0;
  while (at + 4 <= most && Word(file.stream, at) != kSyncWord) at += 4;
  if (at + 4 > most)
    return Fail(Code::kDataLoss, "the stream has no sync word {:08x} in its first {} bytes",
                kSyncWord, most);
  const size_t last = std::min(at + kIdcodeWithin, file.stream.size());
  for (at += 4; at + 8 <= last; at += 4) {
    if (Word(file.stream, at) != kWriteIdcode) continue;
    file.idcode = Word(file.stream, at + 4) & ~kRevision;
    break;
  }
  return {};
}

}  // namespace

Result<BitFile> ParseBit(std::span<const uint8_t> bytes) {
  if (bytes.size() < std::size(kPreamble) ||
      !std::ranges::equal(bytes.first(std::size(kPreamble)), kPreamble))
    return Fail(Code::kInvalidArgument, "it is no .bit file: its first {} bytes are others",
                std::size(kPreamble));
  BitReader reader(bytes);
  reader.Skip(std::size(kPreamble));
  BitFile file;
  TESSERA_ASSIGN(const std::string design, reader.TextField('a'));
  ReadDesign(design, file);
  TESSERA_ASSIGN(file.part, reader.TextField('b'));
  TESSERA_ASSIGN(file.date, reader.TextField('c'));
  TESSERA_ASSIGN(file.time, reader.TextField('d'));
  TESSERA_ASSIGN(const std::span<const uint8_t> stream, reader.Field('e', 4));
  if (reader.Left() != 0)
    return Fail(Code::kDataLoss, "{} bytes follow the stream, it should end the file",
                reader.Left());
  file.stream.assign(stream.begin(), stream.end());
  TESSERA_TRY(CheckStream(file));
  return file;
}

std::vector<uint8_t> BitFile::Bytes() const {
  std::vector<uint8_t> out(std::begin(kPreamble), std::end(kPreamble));
  std::string name = design;
  if (user_id) name += fmt::format(";UserID=0X{:08X}", *user_id);
  if (!version.empty()) name += ";Version=" + version;
  const std::string* const fields[] = {&name, &part, &date, &time};
  for (int i = 0; i < 4; ++i) {
    out.push_back(static_cast<uint8_t>('a' + i));
    Put(out, static_cast<uint32_t>(fields[i]->size() + 1), 2);
    out.insert(out.end(), fields[i]->begin(), fields[i]->end());
    out.push_back(0);
  }
  out.push_back('e');
  Put(out, static_cast<uint32_t>(stream.size()), 4);
  out.insert(out.end(), stream.begin(), stream.end());
  return out;
}

std::vector<uint8_t> BitFile::Bin() const {
  std::vector<uint8_t> bin = stream;
  for (size_t at = 0; at + 4 <= bin.size(); at += 4) {
    std::swap(bin[at], bin[at + 3]);
    std::swap(bin[at + 1], bin[at + 2]);
  }
  return bin;
}

bool SamePart(std::string_view part, std::string_view wanted) {
  const auto bare = [](std::string_view name) {
    if (name.starts_with("xc")) name.remove_prefix(2);
    return name;
  };
  part = bare(part);
  wanted = bare(wanted);
  // Keep the text before the speed grade, which begins at the first '-' with a digit behind it.
  for (size_t i = 0; i + 1 < wanted.size(); ++i) {
    if (wanted[i] == '-' && wanted[i + 1] >= '0' && wanted[i + 1] <= '9') {
      wanted = wanted.substr(0, i);
      break;
    }
  }
  return !wanted.empty() && part.starts_with(wanted) &&
         (part.size() == wanted.size() || part[wanted.size()] == '-');
}

std::vector<uint8_t> SyntheticStream(uint32_t idcode, size_t words, uint64_t seed) {
  constexpr uint32_t kNothing = 0x20000000;
  std::vector<uint8_t> out;
  for (int i = 0; i < 8; ++i) Put(out, 0xffffffff, 4);
  for (uint32_t word : {0x000000bbu, 0x11220044u, 0xffffffffu, 0xffffffffu, kSyncWord, kNothing,
                        kWriteIdcode, idcode})
    Put(out, word, 4);
  Put(out, 0x30004000, 4);  // data: type 1 without words, then type 2 with all of them
  Put(out, 0x50000000u | (static_cast<uint32_t>(words) & 0x07ffffffu), 4);
  Rng rng(seed);
  for (size_t i = 0; i < words; ++i) Put(out, static_cast<uint32_t>(rng.Next()), 4);
  Put(out, 0x30008001, 4);  // command: the end of synchronisation
  Put(out, 0x0000000d, 4);
  for (int i = 0; i < 4; ++i) Put(out, kNothing, 4);
  return out;
}

}  // namespace tessera
