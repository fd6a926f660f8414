// SPDX-License-Identifier: Apache-2.0
//
// Records of PRM in device memory: three int32 numbers for each channel of a block in loop IR
// (target/tile_intrin.h), fields of isa/memories.def for the machine. Depends on: compiler/ir, isa.
// Used by: accel.cc, the compile driver.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_RECORDS_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_RECORDS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "compiler/ir/ir.h"
#include "isa/config.h"

namespace tessera::codegen::accel {

// The machine's bytes of |numbers|, int32 little-endian, whole records.
//   errors  kOutOfRange  a number that its field does not hold: names record, channel, field
Result<std::vector<uint8_t>> EncodeRecords(std::span<const uint8_t> numbers,
                                           const isa::Config& config);

// The bytes of device memory that |buffer|, which |body| reads, takes.
int64_t MachineSize(const ir::Stmt& body, const ir::Buffer& buffer, const isa::Config& config);

// What device memory holds where |body| reads |buffer|, whose elements are |data|: records where it
// brings them to PRM. errors: EncodeRecords'
Result<std::vector<uint8_t>> MachineBytes(const ir::Stmt& body, const ir::Buffer& buffer,
                                          std::vector<uint8_t> data, const isa::Config& config);

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_RECORDS_H_
