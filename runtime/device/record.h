// SPDX-License-Identifier: Apache-2.0
//
// Programs that devices are given, recorded as files of assembly with their data: where the
// environment names a folder as TESSERA_RECORD, each that the checker accepts is kept there as
// NAME_HASH.tsr.s, NAME from TESSERA_RECORD_NAME. `tessera regress --suite directed` runs such
// files. Depends on: isa/asm, isa/check, runtime/device.h. Used by: device_base.
#ifndef TESSERA_RUNTIME_DEVICE_RECORD_H_
#define TESSERA_RUNTIME_DEVICE_RECORD_H_

#include <functional>
#include <span>

#include "base/error.h"
#include "isa/semantics/fetch.h"
#include "runtime/device.h"

namespace tessera {

// Data that a program of a record may have.
inline constexpr uint64_t kMaxRecordBytes = uint64_t{16} << 20;

// Reads device memory.
using MemoryReader = std::function<Status(uint64_t address, std::span<uint8_t> bytes)>;

// Records |launch|, if it is asked for; each segment has the bytes that the program reads, up to
// the last that it touches. One that is not legal by itself, because an earlier run left something
// for it, and one with more data than kMaxRecordBytes are left out.
//   errors  kUnavailable  the file cannot be written
//           and those of |read|, of the code
Status RecordLaunch(const Launch& launch, const isa::Config& config, const isa::Fetcher& fetcher,
                    const MemoryReader& read);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_RECORD_H_
