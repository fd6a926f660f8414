// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/memory_text.h"

#include <algorithm>
#include <cstring>

#include "isa/encoding.h"
#include "isa/nest.h"
#include "isa/vta_encoding.h"
#include "sim/debug/names.h"

namespace tessera::sim {
namespace {

using isa::Memory;

constexpr int64_t kTiles = 256;        // most tiles printed at once
constexpr uint64_t kBytes = 64 << 10;  // most bytes printed at once

// |rows| x |columns| elements of |bits| bits, one line a row.
std::string MatrixText(std::span<const uint8_t> tile, int64_t rows, int64_t columns, int bits) {
  std::string text;
  for (int64_t r = 0; r < rows; ++r) {
    text += " ";
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t at = r * columns + c;
      int32_t value = static_cast<int8_t>(tile[static_cast<size_t>(bits == 8 ? at : 0)]);
      if (bits == 32) std::memcpy(&value, tile.data() + 4 * at, 4);
      text += fmt::format(" {:>{}}", value, bits == 8 ? 4 : 11);
    }
    text += "\n";
  }
  return text;
}

std::string FieldsText(const isa::Uop& uop) {
  std::string text = " ";
  for (size_t f = 0; f < std::size(isa::kUopFields); ++f)
    text += fmt::format(" {}={}", isa::kUopFields[f].name, isa::UopField(uop, static_cast<int>(f)));
  return text + "\n";
}

std::string FieldsText(const isa::VtaUop& uop) {
  std::string text = " ";
  isa::ForEachField(
      uop, [&](const auto& row, int64_t value) { text += fmt::format(" {}={}", row.name, value); });
  return text + "\n";
}

std::string UopText(std::span<const uint8_t> tile, const isa::Config& config,
                    isa::Profile profile) {
  if (profile == isa::Profile::kVta) {
    uint32_t word;
    std::memcpy(&word, tile.data(), sizeof word);
    const auto codec = isa::VtaCodec::Make(config);
    return codec ? FieldsText(codec->DecodeUop(word)) : fmt::format("  {:#010x}\n", word);
  }
  uint64_t word;
  std::memcpy(&word, tile.data(), sizeof word);
  const auto uop = isa::DecodeUop(word);
  return uop ? FieldsText(*uop) : fmt::format("  {:#018x} does not decode\n", word);
}

// One line a field, with the values of all channels.
std::string RecordText(std::span<const uint8_t> record, Memory memory, int64_t channels) {
  std::string text;
  for (const isa::RecordField& field : isa::kRecordFields) {
    if (field.memory != memory) continue;
    text += fmt::format("  {}", field.name);
    for (int64_t c = 0; c < channels; ++c) {
      const auto at = static_cast<size_t>(isa::RecordOffset(field) * channels + c * field.bytes);
      int64_t value = 0;
      if (field.bytes == 1) {
        value = static_cast<int8_t>(record[at]);
      } else {
        uint32_t word;
        std::memcpy(&word, record.data() + at, sizeof word);
        value = field.kind == isa::FieldKind::kSigned ? static_cast<int32_t>(word) : int64_t{word};
      }
      text += fmt::format(" {}", value);
    }
    text += "\n";
  }
  return text;
}

std::string_view Plural(int64_t count) { return count == 1 ? "" : "s"; }

}  // namespace

Result<Memory> ScratchpadNamed(std::string_view name, isa::Profile profile) {
  std::string list;
  for (const isa::MemoryRow& row : isa::kMemoryRows) {
    if (row.lies_in || !isa::ExistsIn(row.memory, profile)) continue;
    if (Text(row.memory) == name) return row.memory;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", Text(row.memory));
  }
  return Fail(Code::kNotFound, "no scratchpad '{}'; scratchpads are: {}", name, list);
}

Result<std::string> ScratchpadText(const MachineView& view, Memory memory, const std::string& range,
                                   const isa::Config& config, isa::Profile profile) {
  const int64_t depth = config.Depth(memory, profile);
  TESSERA_ASSIGN(const IndexRange tiles, RangeOf(fmt::format("tiles of {}", Text(memory)),
                                                 range.empty() ? "0" : range, depth));
  if (tiles.count > kTiles) {
    return Fail(Code::kOutOfRange, "{} tiles of {}: {} are printed at once; give FIRST:COUNT",
                tiles.count, Text(memory), kTiles);
  }
  const isa::MemoryRow& row = isa::RowOf(memory);
  const int64_t bytes = config.TileBytes(memory, profile);
  const int64_t rows = config.SideLength(row.rows), columns = config.SideLength(row.columns);
  const std::span<const uint8_t> all = view.Scratchpad(memory);
  std::string text;
  for (int64_t t = tiles.first; t < tiles.first + tiles.count; ++t) {
    const auto tile = all.subspan(static_cast<size_t>(t * bytes), static_cast<size_t>(bytes));
    if (memory == Memory::kUop) {
      text += fmt::format("uop {}\n", t) + UopText(tile, config, profile);
    } else if (row.element_bits == 0) {
      text +=
          fmt::format("{} record {}: {} channel{}\n", Text(memory), t, columns, Plural(columns)) +
          RecordText(tile, memory, columns);
    } else {
      text += fmt::format("{} tile {}: int{} [{}][{}]\n", Text(memory), t, row.element_bits, rows,
                          columns) +
              MatrixText(tile, rows, columns, row.element_bits);
    }
  }
  return text;
}

Result<std::string> DeviceMemoryText(const MachineView& view, const Launch& launch,
                                     const std::string& address, uint64_t count) {
  const std::span<const uint8_t> memory = view.DeviceMemory();
  const size_t plus = address.find('+');
  const std::string name = address.substr(0, plus);
  std::optional<int> segment = isa::EnumFromText("Segment", name);
  if (!segment && plus != std::string::npos) {
    TESSERA_ASSIGN(const uint64_t number, NumberOf("segment", name));
    if (number >= isa::kSegments)
      return Fail(Code::kOutOfRange, "segment {}: there are 0 to {}", number, isa::kSegments - 1);
    segment = static_cast<int>(number);
  }
  uint64_t base = 0, size = memory.size(), offset = 0;
  if (segment) {
    const SegmentBinding& binding = launch.segments[static_cast<size_t>(*segment)];
    base = binding.base, size = binding.size;
    if (plus != std::string::npos) {
      TESSERA_ASSIGN(offset, NumberOf("offset", address.substr(plus + 1)));
    }
  } else {
    TESSERA_ASSIGN(offset, NumberOf("address (a number, or SEGMENT+OFFSET)", address));
  }
  if (count == 0 || count > kBytes) {
    return Fail(Code::kOutOfRange, "{} bytes: 1 to {} are printed at once", count, kBytes);
  }
  if (offset > size || count > size - offset || base > memory.size() ||
      size > memory.size() - base) {
    return Fail(Code::kOutOfRange, "bytes {} to {}: {} has {} bytes", offset, offset + count - 1,
                segment ? "segment " + name : "device memory", size);
  }
  std::string text;
  for (uint64_t at = offset; at < offset + count; at += 16) {
    text += fmt::format("{}{:#08x}:", segment ? name + "+" : "", at);
    for (uint64_t i = at; i < std::min(at + 16, offset + count); ++i)
      text += fmt::format(" {:02x}", memory[base + i]);
    text += "\n";
  }
  return text;
}

}  // namespace tessera::sim
