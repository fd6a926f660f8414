// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/fetch.h"

#include <fmt/format.h>

#include <cstring>

#include "base/bits.h"
#include "base/check.h"
#include "isa/encoding.h"
#include "isa/field_values.h"
#include "isa/semantics/fields.h"

namespace tessera::isa {
namespace {

constexpr uint8_t Bit(Unit unit, int64_t flag) {
  return static_cast<uint8_t>(flag << static_cast<int>(unit));
}

// The unit and tokens of a VTA instruction; its flags are relative to LOAD < COMPUTE < STORE.
void RouteVta(const VtaInsn& insn, Fetched* fetched) {
  Unit unit = Unit::kGemm;
  if (const VtaLoad* load = std::get_if<VtaLoad>(&insn)) {
    const Memory memory = static_cast<Memory>(load->memory_type);
    if (memory == Memory::kInp || memory == Memory::kWgt) unit = Unit::kLoad;
  } else if (std::holds_alternative<VtaStore>(insn)) {
    unit = Unit::kStore;
  }
  fetched->unit = unit;
  const Unit prev = unit == Unit::kStore ? Unit::kGemm : Unit::kLoad;
  const Unit next = unit == Unit::kLoad ? Unit::kGemm : Unit::kStore;
  std::visit(
      [&](const auto& one) {
        fetched->pop = Bit(prev, one.pop_prev) | Bit(next, one.pop_next);
        fetched->push = Bit(prev, one.push_prev) | Bit(next, one.push_next);
      },
      insn);
}

}  // namespace

Stop Route(const AnyInsn& insn, Fetched* fetched) {
  fetched->insn = insn;
  if (const VtaInsn* one = std::get_if<VtaInsn>(&insn)) {
    if (Stop stop = CheckTokens(*one)) return stop;
    fetched->finish = std::holds_alternative<VtaFinish>(*one);
    RouteVta(*one, fetched);
    return {};
  }
  const Insn& one = std::get<Insn>(insn);
  if (Stop stop = CheckTokens(one)) return stop;
  fetched->unit = UnitOf(one);
  fetched->finish = std::holds_alternative<Finish>(one);
  std::visit(
      [&](const auto& fields) {
        fetched->pop = static_cast<uint8_t>(fields.pop);
        fetched->push = static_cast<uint8_t>(fields.push);
      },
      one);
  return {};
}

Stop CheckFields(const AnyInsn& insn, const Config& config) {
  return std::visit([&](const auto& profile) { return CheckFields(profile, config); }, insn);
}

Result<Fetcher> Fetcher::Make(Profile profile, const Config& config) {
  Fetcher fetcher(profile, config);
  if (profile == Profile::kVta) {
    TESSERA_ASSIGN(VtaCodec codec, VtaCodec::Make(config));
    fetcher.vta_ = std::move(codec);
  }
  return fetcher;
}

Stop Fetcher::Fetch(std::span<const uint8_t> bytes, Fetched* fetched) const {
  TESSERA_CHECK(static_cast<int64_t>(bytes.size()) == insn_bytes());
  if (profile_ == Profile::kTessera) {
    InsnWord word;
    std::memcpy(word.data(), bytes.data(), sizeof word);
    const Result<Insn> insn = Decode(word);
    const int opcode = static_cast<int>(word[0] & Mask(kOpcodeBits));
    if (opcode == Depthwise::kOpcode && !HasInsn(Depthwise::kName, config_)) {
      return Stop{MachineError::kIllegalOpcode,
                  fmt::format("opcode {}, {}, on a machine without it: its depthwise is 0", opcode,
                              Depthwise::kName)};
    }
    if (insn) return Route(*insn, fetched);
    // The opcode is wrong, or a bit is set that no field names.
    const bool known = opcode >= Load::kOpcode && opcode <= Finish::kOpcode;
    return Stop{known ? MachineError::kIllegalField : MachineError::kIllegalOpcode,
                insn.error().message};
  }
  VtaInsnWord word;
  std::memcpy(word.data(), bytes.data(), sizeof word);
  const Result<VtaInsn> insn = vta_->Decode(word);
  if (insn) return Route(*insn, fetched);
  return Stop{MachineError::kIllegalOpcode, insn.error().message};
}

Traffic TrafficOf(const AnyInsn& insn, const Config& config) {
  const auto bytes = [](auto... factors) {
    return (uint64_t{1} * ... * static_cast<uint64_t>(factors));
  };
  if (const Insn* one = std::get_if<Insn>(&insn)) {
    if (const Load* v = std::get_if<Load>(one))
      return {.read = bytes(v->x_size, v->y_size, v->z_size, v->x_bytes)};
    if (const Store* v = std::get_if<Store>(one))
      return {.written = bytes(v->x_size, v->y_size, v->z_size, v->x_bytes)};
    return {};
  }
  const VtaInsn& one = std::get<VtaInsn>(insn);
  if (const VtaLoad* v = std::get_if<VtaLoad>(&one)) {
    const auto memory = static_cast<Memory>(v->memory_type);
    return {.read = bytes(v->x_size, v->y_size, config.TileBytes(memory, Profile::kVta))};
  }
  if (const VtaStore* v = std::get_if<VtaStore>(&one))
    return {.written = bytes(v->x_size, v->y_size, config.out_tile_bytes())};
  return {};
}

}  // namespace tessera::isa
