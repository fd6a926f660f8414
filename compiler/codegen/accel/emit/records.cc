// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/emit/records.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/check.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/visit.h"
#include "compiler/target/tile_intrin.h"
#include "isa/memories.h"

namespace tessera::codegen::accel {

namespace {

// Whether |body| loads |buffer| into PRM.
bool HoldsRecords(const ir::Stmt& body, const ir::Buffer& buffer) {
  bool holds = false;
  ir::VisitStmts(body, [&](const ir::Stmt& s) {
    const std::optional<target::LoadedTile> loaded = target::LoadedBy(s);
    holds |= loaded && loaded->to->scope == ir::Scope::kPrm && loaded->from == buffer;
  });
  return holds;
}

}  // namespace

Result<std::vector<uint8_t>> EncodeRecords(std::span<const uint8_t> numbers,
                                           const isa::Config& config) {
  const auto block = static_cast<size_t>(config.block_out);
  const auto count = static_cast<size_t>(target::RecordNumbers(config));
  TESSERA_CHECK(numbers.size() % (count * sizeof(int32_t)) == 0, "{} bytes", numbers.size());
  const size_t records = numbers.size() / (count * sizeof(int32_t));
  const auto bytes = static_cast<size_t>(config.prm_tile_bytes());
  std::vector<uint8_t> encoded(records * bytes);
  for (size_t r = 0; r < records; ++r) {
    for (size_t f = 0; f < std::size(isa::kRecordFields); ++f) {
      const isa::RecordField& field = isa::kRecordFields[f];
      const bool sign = field.kind == isa::FieldKind::kSigned;
      const int64_t lo = sign ? -(int64_t{1} << (field.bits - 1)) : 0,
                    hi = (int64_t{1} << (sign ? field.bits - 1 : field.bits)) - 1;
      for (size_t c = 0; c < block; ++c) {
        int32_t number = 0;
        std::memcpy(&number, &numbers[((r * std::size(isa::kRecordFields) + f) * block + c) * 4],
                    sizeof(number));
        if (number < lo || number > hi) {
          return Fail(Code::kOutOfRange, "record {}, channel {}: {} {} is not in {} to {}", r, c,
                      field.name, number, lo, hi);
        }
        uint8_t* at = &encoded[r * bytes + static_cast<size_t>(isa::RecordOffset(field)) * block +
                               static_cast<size_t>(field.bytes) * c];
        for (int i = 0; i < field.bytes; ++i)
          at[i] = static_cast<uint8_t>(static_cast<uint32_t>(number) >> (8 * i));
      }
    }
  }
  return encoded;
}

int64_t MachineSize(const ir::Stmt& body, const ir::Buffer& buffer, const isa::Config& config) {
  const int64_t bytes = ir::SizeInBytes(*buffer);
  if (!HoldsRecords(body, buffer)) return bytes;
  const int64_t record = target::RecordNumbers(config) * int64_t{sizeof(int32_t)};
  return bytes / record * config.prm_tile_bytes();
}

Result<std::vector<uint8_t>> MachineBytes(const ir::Stmt& body, const ir::Buffer& buffer,
                                          std::vector<uint8_t> data, const isa::Config& config) {
  if (!HoldsRecords(body, buffer)) return data;
  return EncodeRecords(data, config);
}

}  // namespace tessera::codegen::accel
