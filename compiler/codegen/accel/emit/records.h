// SPDX-License-Identifier: Apache-2.0
//
// Records of PRM in device memory. In loop IR a record is three int32 numbers for each channel of a
// block (target/tile_intrin.h); for the machine it has the fields of isa/memories.def. Depends on:
// compiler/ir, isa. Used by: codegen/accel, compiler/driver.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_RECORDS_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_RECORDS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "compiler/ir/ir.h"
#include "isa/config.h"

namespace tessera::codegen::accel {

// The machine's bytes of |numbers|, which are whole records of little-endian int32.
//   errors  kOutOfRange  a number that its field does not hold: names record, channel, field
Result<std::vector<uint8_t>> EncodeRecords(std::span<const uint8_t> numbers,
                                           const isa::Config& config);

// Bytes of device memory that |buffer| takes, which |body| reads.
int64_t MachineSize(const ir::Stmt& body, const ir::Buffer& buffer, const isa::Config& config);

// Bytes of device memory of |buffer|, which |body| reads and whose elements are |data|: in the
// machine's form where |body| brings records to PRM. errors: EncodeRecords'
Result<std::vector<uint8_t>> MachineBytes(const ir::Stmt& body, const ir::Buffer& buffer,
                                          std::vector<uint8_t> data, const isa::Config& config);

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_RECORDS_H_
