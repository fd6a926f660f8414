// SPDX-License-Identifier: Apache-2.0
//
// PTX text as instructions: the part of the language that LLVM writes for kernels, derived from
// NVIDIA's description. For tests; shares no code with compiler/.
#ifndef TESSERA_TESTS_RUNTIME_GPU_PTX_H_
#define TESSERA_TESTS_RUNTIME_GPU_PTX_H_

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::test {

enum class PtxOp : uint8_t {
  kAbs,
  kAdd,
  kAnd,
  kBar,
  kBfe,
  kBfi,
  kBra,
  kCvt,
  kCvta,
  kDiv,
  kFma,
  kLd,
  kMad,
  kMax,
  kMin,
  kMma,
  kMov,
  kMul,
  kNeg,
  kNot,
  kOr,
  kPrmt,
  kRcp,
  kRem,
  kRet,
  kSelp,
  kSetp,
  kShl,
  kShr,
  kSqrt,
  kSt,
  kSub,
  kXor,
};

// 's', 'u', 'f', 'b', 'p' for a predicate; 0: the instruction has none.
struct PtxType {
  char kind = 0;
  int bits = 0;
};

// A register, plus |value| in an address; or a constant; or an index into kPtxSpecials, or
// kPtxTimer.
struct PtxOperand {
  enum class Kind : uint8_t { kRegister, kConstant, kSpecial } kind = Kind::kConstant;
  uint32_t index = 0;
  uint64_t value = 0;
};
inline constexpr const char* kPtxSpecials[] = {"%tid.x",   "%tid.y",   "%tid.z",
                                               "%ctaid.x", "%ctaid.y", "%ctaid.z"};
inline constexpr uint32_t kPtxTimer = std::size(kPtxSpecials);  // %globaltimer, nanoseconds

struct PtxInsn {
  PtxOp op = PtxOp::kRet;
  PtxType type, from;           // |from|: the source of a conversion
  std::set<std::string> words;  // other words of the opcode: "rn", "wide", "global"
  char compare[4] = {};         // of setp: "lt", "geu", "nan"
  char part = 0;                // of mul and mad: 'l', 'h', 'w'
  bool param = false;           // of ld: operand 0 is an argument
  int guard = -1;               // a predicate register; -1: none
  bool guard_not = false;
  // Destinations first. A vector counts as its elements; |counts| has their number for each
  // operand.
  std::vector<PtxOperand> operands;
  std::vector<uint8_t> counts;
  uint32_t target = 0;  // of a branch
  std::string text;
};

// Addresses of a group's and of a thread's own memory; others are global.
inline constexpr uint64_t kPtxShared = uint64_t{1} << 60, kPtxLocal = uint64_t{2} << 60;

struct PtxKernel {
  std::vector<uint32_t> params;  // byte offsets
  std::array<uint32_t, 3> threads{};
  uint32_t registers = 0, shared_bytes = 0, local_bytes = 0;
  std::vector<PtxInsn> code;
};

struct PtxModule {
  int version = 0;  // 70: PTX 7.0
  int target = 0;   // 80: sm_80
  std::map<std::string, PtxKernel> kernels;
};

//   errors  kInvalidArgument  text that the parser does not know, with its line
Result<PtxModule> ParsePtx(const std::string& text);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_RUNTIME_GPU_PTX_H_
