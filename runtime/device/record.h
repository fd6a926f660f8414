// SPDX-License-Identifier: Apache-2.0
//
// Records the programs of devices as files of assembly with their data. If the environment names a
// folder as TESSERA_RECORD, each program that the checker accepts goes there as NAME_HASH.tsr.s,
// with NAME from TESSERA_RECORD_NAME. `tessera regress --suite directed` runs such files. Depends
// on: isa/asm, isa/check, runtime/device.h. Used by: device_base.
#ifndef TESSERA_RUNTIME_DEVICE_RECORD_H_
#define TESSERA_RUNTIME_DEVICE_RECORD_H_

#include <functional>
#include <span>

#include "base/error.h"
#include "isa/semantics/fetch.h"
#include "runtime/device.h"

namespace tessera {

// The most data of one recorded program.
inline constexpr uint64_t kMaxRecordBytes = uint64_t{16} << 20;

// Reads device memory.
using MemoryReader = std::function<Status(uint64_t address, std::span<uint8_t> bytes)>;

// Records |launch|, if the environment asks for it. Each segment gets the bytes that the program
// reads, up to the last byte that it touches. Leaves out programs that are not legal alone because
// they need what an earlier run left, and programs with more data than kMaxRecordBytes.
//   errors  kUnavailable  the file cannot be written
//           others        as |read|, for the code
Status RecordLaunch(const Launch& launch, const isa::Config& config, const isa::Fetcher& fetcher,
                    const MemoryReader& read);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_RECORD_H_
