// SPDX-License-Identifier: Apache-2.0
#include "sim/rig/program.h"

#include "base/check.h"
#include "isa/encoding.h"

namespace tessera::rig {

using isa::AnyInsn;
using isa::Profile;
using isa::Unit;

bool HasEdge(Profile profile, int from, int to) {
  if (from == to) return false;
  if (profile == Profile::kTessera) return true;
  const int compute = static_cast<int>(Unit::kGemm), vector = static_cast<int>(Unit::kVector);
  return from != vector && to != vector && (from == compute || to == compute);
}

void SetTokens(AnyInsn& insn, int unit, uint8_t pop, uint8_t push) {
  if (isa::Insn* one = std::get_if<isa::Insn>(&insn)) {
    std::visit([&](auto& v) { v.pop = pop, v.push = push; }, *one);
    return;
  }
  const int prev = unit == static_cast<int>(Unit::kStore) ? static_cast<int>(Unit::kGemm)
                                                          : static_cast<int>(Unit::kLoad);
  const int next = unit == static_cast<int>(Unit::kLoad) ? static_cast<int>(Unit::kGemm)
                                                         : static_cast<int>(Unit::kStore);
  const bool has_prev = unit != static_cast<int>(Unit::kLoad),
             has_next = unit != static_cast<int>(Unit::kStore);
  std::visit(
      [&](auto& v) {
        v.pop_prev = has_prev && ((pop >> prev) & 1);
        v.pop_next = has_next && ((pop >> next) & 1);
        v.push_prev = has_prev && ((push >> prev) & 1);
        v.push_next = has_next && ((push >> next) & 1);
      },
      std::get<isa::VtaInsn>(insn));
}

AnyInsn Carrier(Profile profile, int unit) {
  if (profile == Profile::kTessera) return isa::Insn(isa::Sync{.unit = unit});
  if (unit == static_cast<int>(Unit::kStore)) return isa::VtaInsn(isa::VtaStore{.memory_type = 4});
  const isa::Memory memory =
      unit == static_cast<int>(Unit::kLoad) ? isa::Memory::kInp : isa::Memory::kUop;
  return isa::VtaInsn(isa::VtaLoad{.memory_type = static_cast<int64_t>(memory)});
}

std::vector<uint8_t> EncodeAll(const std::vector<AnyInsn>& program, Profile profile,
                               const isa::Config& config) {
  std::vector<uint8_t> code;
  const auto append = [&](const auto& word) {
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(word.data());
    code.insert(code.end(), bytes, bytes + sizeof word);
  };
  const auto value = [](auto word) {
    TESSERA_CHECK(word.has_value(), "{}", word.error().message);
    return *word;
  };
  if (profile == Profile::kVta) {
    const isa::VtaCodec codec = isa::VtaCodec::Make(config).value();
    for (const AnyInsn& insn : program) append(value(codec.Encode(std::get<isa::VtaInsn>(insn))));
  } else {
    for (const AnyInsn& insn : program) append(value(isa::Encode(std::get<isa::Insn>(insn))));
  }
  return code;
}

std::vector<isa::Fetched> FetchAll(const isa::ProgramImage& image, const isa::Config& config) {
  const isa::Fetcher fetcher = isa::Fetcher::Make(image.profile, config).value();
  std::vector<isa::Fetched> program(image.insn_count());
  const int64_t bytes = image.insn_bytes();
  for (int64_t n = 0; n < image.insn_count(); ++n) {
    const isa::Stop stop =
        fetcher.Fetch(std::span(image.code).subspan(n * bytes, bytes), &program[n]);
    TESSERA_CHECK(!stop, "instruction {}: {}", n, stop.detail);
  }
  return program;
}

isa::ProgramImage WithProgram(const isa::ProgramImage& image,
                              const std::vector<isa::Fetched>& program, const isa::Config& config) {
  std::vector<AnyInsn> insns;
  for (const isa::Fetched& fetched : program) {
    insns.push_back(fetched.insn);
    SetTokens(insns.back(), static_cast<int>(fetched.unit), fetched.pop, fetched.push);
  }
  isa::ProgramImage result = image;
  result.source.clear();
  result.code = EncodeAll(insns, image.profile, config);
  return result;
}

}  // namespace tessera::rig
