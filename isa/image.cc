// SPDX-License-Identifier: Apache-2.0
#include "isa/image.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "base/check.h"
#include "base/hash.h"
#include "isa/regs.h"

namespace tessera::isa {
namespace {

static_assert(std::endian::native == std::endian::little,
              "images are copied to and from memory as they are");

static_assert(reg::kSegmentBaseLo.count == kSegments, "a register for each segment");

constexpr std::string_view kMagic = "TSRIMG01";
constexpr uint32_t kVersion = 1;
constexpr size_t kCrcBytes = 8;

class ImageWriter {
 public:
  template <typename T>
  void Number(T value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    out_.insert(out_.end(), bytes, bytes + sizeof value);
  }
  void Bytes(const void* data, size_t size) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    out_.insert(out_.end(), bytes, bytes + size);
  }
  void Text(std::string_view text) {
    Number(static_cast<uint32_t>(text.size()));
    Bytes(text.data(), text.size());
  }
  std::vector<uint8_t> Finish() {
    Number(Crc64(out_));
    return std::move(out_);
  }

 private:
  std::vector<uint8_t> out_;
};

// Reads inside |bytes|; compares every length with its limit and with the bytes left before use.
class ImageReader {
 public:
  explicit ImageReader(std::span<const uint8_t> bytes) : left_(bytes) {}

  template <typename T>
  Result<T> Number(std::string_view what) {
    if (left_.size() < sizeof(T))
      return Fail(Code::kDataLoss, "program image: it ends inside {}", what);
    T value;
    std::memcpy(&value, left_.data(), sizeof value);
    left_ = left_.subspan(sizeof value);
    return value;
  }
  // Reads a count of items that take at least |least_bytes| each.
  template <typename T>
  Result<uint64_t> Count(std::string_view what, uint64_t limit, uint64_t least_bytes) {
    TESSERA_ASSIGN(const uint64_t count, Number<T>(what));
    if (count > limit)
      return Fail(Code::kOutOfRange, "program image: {} is {}, at most {} is accepted", what, count,
                  limit);
    if (count > left_.size() / least_bytes) {
      return Fail(Code::kDataLoss, "program image: {} is {}, but {} bytes are left", what, count,
                  left_.size());
    }
    return count;
  }
  template <typename T>
  Result<std::span<const uint8_t>> Bytes(std::string_view what, uint64_t limit) {
    TESSERA_ASSIGN(const uint64_t size, Count<T>(what, limit, 1));
    const std::span<const uint8_t> bytes = left_.first(size);
    left_ = left_.subspan(size);
    return bytes;
  }
  Result<std::string> Text(std::string_view what, uint64_t limit) {
    TESSERA_ASSIGN(const std::span<const uint8_t> bytes, Bytes<uint32_t>(what, limit));
    return std::string(bytes.begin(), bytes.end());
  }
  size_t left() const { return left_.size(); }

 private:
  std::span<const uint8_t> left_;
};

Result<ProgramImage> ParseBody(ImageReader& reader) {
  ProgramImage image;
  TESSERA_ASSIGN(const uint32_t profile, reader.Number<uint32_t>("the profile"));
  if (profile > static_cast<uint32_t>(Profile::kTessera)) {
    return Fail(Code::kInvalidArgument, "program image: profile {} does not exist", profile);
  }
  image.profile = static_cast<Profile>(profile);
  TESSERA_ASSIGN(image.config_hash, reader.Number<uint64_t>("the configuration hash"));
  TESSERA_ASSIGN(image.config_name,
                 reader.Text("the length of the configuration's name", kMaxConfigNameBytes));
  TESSERA_ASSIGN(const uint64_t ranges,
                 reader.Count<uint32_t>("the number of source ranges", kMaxSourceRanges, 16));
  image.source.resize(ranges);
  for (SourceRange& range : image.source) {
    TESSERA_ASSIGN(range.begin, reader.Number<uint32_t>("a source range"));
    TESSERA_ASSIGN(range.end, reader.Number<uint32_t>("a source range"));
    TESSERA_ASSIGN(range.layer, reader.Number<uint32_t>("a source range"));
    TESSERA_ASSIGN(range.op, reader.Text("the length of an operator's name", kMaxOpBytes));
  }
  TESSERA_ASSIGN(const std::span<const uint8_t> code,
                 reader.Bytes<uint64_t>("the size of the code", kMaxCodeBytes));
  image.code.assign(code.begin(), code.end());
  for (SegmentData& segment : image.segments) {
    TESSERA_ASSIGN(segment.size, reader.Number<uint64_t>("a segment"));
    TESSERA_ASSIGN(const std::span<const uint8_t> data,
                   reader.Bytes<uint64_t>("the size of a segment's data", kMaxSegmentBytes));
    segment.data.assign(data.begin(), data.end());
  }
  if (reader.left() != 0) {
    return Fail(Code::kInvalidArgument, "program image: {} bytes follow the last segment",
                reader.left());
  }
  return image;
}

template <typename T>
T WordAt(const ProgramImage& image, int64_t n) {
  TESSERA_CHECK(
      n >= 0 && n < image.insn_count() && sizeof(T) == static_cast<size_t>(image.insn_bytes()),
      "instruction {} of {}", n, image.insn_count());
  T word;
  std::memcpy(word.data(), image.code.data() + n * image.insn_bytes(), sizeof word);
  return word;
}

template <typename T>
void AppendWord(const T& word, ProgramImage& image) {
  TESSERA_CHECK(sizeof word == static_cast<size_t>(image.insn_bytes()),
                "a word of the other profile");
  const auto* bytes = reinterpret_cast<const uint8_t*>(word.data());
  image.code.insert(image.code.end(), bytes, bytes + sizeof word);
}

}  // namespace

InsnWord ProgramImage::Word(int64_t n) const { return WordAt<InsnWord>(*this, n); }
VtaInsnWord ProgramImage::VtaWord(int64_t n) const { return WordAt<VtaInsnWord>(*this, n); }
void ProgramImage::Append(const InsnWord& word) { AppendWord(word, *this); }
void ProgramImage::Append(const VtaInsnWord& word) { AppendWord(word, *this); }

std::string_view ProgramImage::SourceOf(int64_t n) const {
  // The first range that ends past |n|. The ranges are in order, so their ends do not fall.
  const auto range =
      std::upper_bound(source.begin(), source.end(), n,
                       [](int64_t insn, const SourceRange& r) { return insn < int64_t{r.end}; });
  if (range == source.end() || int64_t{range->begin} > n) return "";
  return range->op;
}

Status CheckImage(const ProgramImage& image) {
  if (image.config_name.size() > kMaxConfigNameBytes) {
    return Fail(Code::kOutOfRange,
                "program image: the configuration's name has {} bytes, at most {} are accepted",
                image.config_name.size(), kMaxConfigNameBytes);
  }
  if (image.code.size() > kMaxCodeBytes) {
    return Fail(Code::kOutOfRange, "program image: {} bytes of code, at most {} are accepted",
                image.code.size(), kMaxCodeBytes);
  }
  if (image.code.size() % static_cast<size_t>(image.insn_bytes()) != 0) {
    return Fail(Code::kInvalidArgument,
                "program image: {} bytes of code are not whole instructions of {} bytes",
                image.code.size(), image.insn_bytes());
  }
  if (image.source.size() > kMaxSourceRanges) {
    return Fail(Code::kOutOfRange, "program image: {} source ranges, at most {} are accepted",
                image.source.size(), kMaxSourceRanges);
  }
  uint32_t last = 0;
  for (const SourceRange& r : image.source) {
    if (r.begin < last || r.end < r.begin || int64_t{r.end} > image.insn_count()) {
      return Fail(
          Code::kInvalidArgument,
          "program image: source range {} to {} is out of order or past the {} instructions",
          r.begin, r.end, image.insn_count());
    }
    last = r.end;
  }
  for (int s = 0; s < kSegments; ++s) {
    const SegmentData& segment = image.segments[static_cast<size_t>(s)];
    if (segment.size > kMaxSegmentBytes) {
      return Fail(Code::kOutOfRange,
                  "program image: segment {} has {} bytes, at most {} are accepted", s,
                  segment.size, kMaxSegmentBytes);
    }
    if (segment.data.size() > segment.size) {
      return Fail(Code::kInvalidArgument, "program image: segment {} has {} bytes, but {} of data",
                  s, segment.size, segment.data.size());
    }
  }
  return {};
}

std::vector<uint8_t> SerializeImage(const ProgramImage& image) {
  if (const Status status = CheckImage(image); !status)
    TESSERA_CHECK(false, "{}", status.error().message);
  ImageWriter writer;
  writer.Bytes(kMagic.data(), kMagic.size());
  writer.Number(kVersion);
  writer.Number(static_cast<uint32_t>(image.profile));
  writer.Number(image.config_hash);
  writer.Text(image.config_name);
  writer.Number(static_cast<uint32_t>(image.source.size()));
  for (const SourceRange& range : image.source) {
    writer.Number(range.begin);
    writer.Number(range.end);
    writer.Number(range.layer);
    writer.Text(std::string_view(range.op).substr(0, kMaxOpBytes));
  }
  writer.Number(static_cast<uint64_t>(image.code.size()));
  writer.Bytes(image.code.data(), image.code.size());
  for (const SegmentData& segment : image.segments) {
    writer.Number(segment.size);
    writer.Number(static_cast<uint64_t>(segment.data.size()));
    writer.Bytes(segment.data.data(), segment.data.size());
  }
  return writer.Finish();
}

bool LooksLikeImage(std::span<const uint8_t> bytes) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

Result<ProgramImage> ParseImage(std::span<const uint8_t> bytes) {
  const size_t seen = std::min(bytes.size(), kMagic.size());
  if (!std::equal(bytes.begin(), bytes.begin() + seen, kMagic.begin())) {
    return Fail(Code::kInvalidArgument, "program image: it does not begin with {}", kMagic);
  }
  if (bytes.size() < kMagic.size() + sizeof kVersion + kCrcBytes) {
    return Fail(Code::kDataLoss, "program image: {} bytes are too few", bytes.size());
  }
  uint64_t crc;
  const std::span<const uint8_t> body = bytes.first(bytes.size() - kCrcBytes);
  std::memcpy(&crc, bytes.data() + body.size(), sizeof crc);
  if (crc != Crc64(body)) {
    return Fail(Code::kDataLoss,
                "program image: the checksum differs; the file is truncated or damaged");
  }
  ImageReader reader(body.subspan(kMagic.size()));
  TESSERA_ASSIGN(const uint32_t version, reader.Number<uint32_t>("the version"));
  if (version != kVersion) {
    return Fail(Code::kInvalidArgument,
                "program image: its version is {}, this program reads {}; make it again", version,
                kVersion);
  }
  TESSERA_ASSIGN(ProgramImage image, ParseBody(reader));
  TESSERA_TRY(CheckImage(image));
  return image;
}

Status CheckImageMatches(const ProgramImage& image, const Config& config) {
  if (image.config_hash != config.Hash()) {
    const bool same_name = image.config_name == config.name;
    return Fail(Code::kInvalidArgument,
                "the program was made for configuration {} ({:016x}){}, this machine is {} "
                "({:016x}); make it again for this one",
                image.config_name, image.config_hash,
                same_name ? " of other numbers or another version of the instruction set" : "",
                config.name, config.Hash());
  }
  if (image.profile == Profile::kVta) return ValidateVtaProfile(config);
  return {};
}

}  // namespace tessera::isa
