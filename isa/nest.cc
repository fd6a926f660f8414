// SPDX-License-Identifier: Apache-2.0
#include "isa/nest.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace tessera::isa {
namespace {

// What a name in a line stands for: a field of the instruction, by its place, or one of these
// values.
enum NestTerm : int8_t { kNothing = -1, kOneAddress = -2, kInTurn = -3 };

template <typename T>
constexpr int FieldCount() {
  int count = 0;
  T insn;
  ForEachField(insn, [&](const auto&, int64_t&) { ++count; });
  return count;
}

template <typename T>
constexpr int8_t FieldIndex(std::string_view name) {
  int8_t at = kNothing, found = kNothing;
  T insn;
  ForEachField(insn, [&](const auto& row, int64_t&) {
    ++at;
    if (row.name == name) found = at;
  });
  if (found == kNothing) NoSuchField();
  return found;
}

template <typename T>
constexpr int8_t TermOf(std::string_view name) {
  if (name.empty()) return kNothing;
  if (name == kOneStep) return kOneAddress;
  if (name == kDense) return kInTurn;
  return FieldIndex<T>(name);
}

// LoopRow and OperandRow with names replaced by numbers.
struct LoopTerms {
  int8_t size, minus, before, after;
  bool needs_size, uops, within;
};
struct OperandTerms {
  const OperandRow* row = nullptr;
  int8_t place = kNothing, base = kNothing, extent = kNothing, tile_of = kNothing,
         not_first = kNothing;
  std::array<int8_t, kMaxLoops> strides{};
  std::array<int8_t, 2> where{};
  int uop = -1;
  uint8_t moves = 0;
  bool dense = false;
};
struct InsnTerms {
  std::array<LoopTerms, kMaxLoops> loops{};
  int loop_count = 0;
  std::array<OperandTerms, kMaxOperands> operands{};
  int operand_count = 0;
  bool transfer =
      false;  // between a segment and a scratchpad: operand by operand, not step by step
};

// The place of a micro-op's field in its table; both profiles list these fields in the same order.
constexpr int UopPlace(std::string_view name) {
  int at = 0;
  for (const FieldRow& f : kUopFields) {
    if (f.name == name) return at;
    ++at;
  }
  at = 0;
  for (const VtaFieldRow& f : kVtaFields) {
    if (f.insn != "VtaUop") continue;
    if (f.name == name) return at;
    ++at;
  }
  NoSuchField();
  return -1;
}

template <typename T>
constexpr InsnTerms TermsOf() {
  InsnTerms terms;
  uint8_t uop_loops = 0;
  for (const LoopRow& row : kLoops) {
    if (row.insn != T::kName) continue;
    if (row.uops) uop_loops |= static_cast<uint8_t>(1 << terms.loop_count);
    terms.loops[terms.loop_count++] = {TermOf<T>(row.size),
                                       TermOf<T>(row.minus),
                                       TermOf<T>(row.before),
                                       TermOf<T>(row.after),
                                       row.needs_size,
                                       row.uops,
                                       row.within};
  }
  for (const OperandRow& row : kOperands) {
    if (row.insn != T::kName) continue;
    OperandTerms o{.row = &row,
                   .place = TermOf<T>(row.place.field),
                   .base = TermOf<T>(row.base),
                   .extent = TermOf<T>(row.extent_field),
                   .tile_of = TermOf<T>(row.tile_of.field),
                   .not_first = TermOf<T>(row.not_first)};
    for (int l = 0; l < kMaxLoops; ++l) {
      o.strides[l] = TermOf<T>(row.strides[l]);
      if (o.strides[l] != kNothing) o.moves |= static_cast<uint8_t>(1 << l);
      o.dense = o.dense || o.strides[l] == kInTurn;
    }
    if (!row.uop.empty()) {
      o.uop = UopPlace(row.uop);
      o.moves |= uop_loops;
    }
    for (int w = 0; w < 2; ++w) o.where[w] = TermOf<T>(row.where[w].field);
    if (!row.not_uop.empty() && row.not_uop != "init") NoSuchField();  // the one flag of a micro-op
    terms.transfer = terms.transfer || row.place.kind == PlaceKind::kSegment ||
                     row.place.kind == PlaceKind::kSegmentField;
    terms.operands[terms.operand_count++] = o;
  }
  return terms;
}

template <typename T>
inline constexpr InsnTerms kTerms = TermsOf<T>();

// The values of the fields, by place.
template <typename T>
class FieldNumbers {
 public:
  explicit FieldNumbers(const T& insn) {
    size_t at = 0;
    ForEachField(insn, [&](const auto&, int64_t value) { values_[at++] = value; });
  }
  int64_t operator[](int8_t term) const {
    return term >= 0 ? values_[static_cast<size_t>(term)] : term == kOneAddress ? 1 : 0;
  }

 private:
  std::array<int64_t, std::max(FieldCount<T>(), 1)> values_{};
};

NestLoop LoopOf(const LoopTerms& terms, const auto& fields) {
  const int64_t size = fields[terms.size], before = fields[terms.before];
  const int64_t all = before + size - fields[terms.minus] + fields[terms.after];
  const bool none = all < 0 || (terms.needs_size && size == 0);
  return {none ? 0 : all, before, none ? 0 : std::min(size, all), terms.uops, terms.within};
}

Space SpaceOf(const OperandPlace& place, int64_t value) {
  switch (place.kind) {
    case PlaceKind::kMemory:
      return Space::Of(static_cast<Memory>(place.index));
    case PlaceKind::kMemoryField:
      return Space::Of(value < kMemories ? LiesIn(static_cast<Memory>(value))
                                         : static_cast<Memory>(value));
    case PlaceKind::kVectorField:
      return Space::Of(MemoryNamed(static_cast<VectorMemory>(value)).value_or(Memory::kInp));
    case PlaceKind::kSegment:
      return Space::OfSegment(place.index);
    case PlaceKind::kSegmentField:
      return Space::OfSegment(value);
  }
  TESSERA_CHECK(false, "place {}", static_cast<int>(place.kind));
}

template <typename T>
InsnNest Evaluate(const T& insn, const Config& config, Profile profile) {
  static constexpr const InsnTerms& kOf = kTerms<T>;
  const FieldNumbers<T> fields(insn);
  InsnNest nest;
  nest.loop_count = kOf.loop_count;
  int64_t parts = 1;
  for (int l = 0; l < kOf.loop_count; ++l) {
    nest.loop_list[l] = LoopOf(kOf.loops[l], fields);
    if (nest.loop_list[l].within) parts *= nest.loop_list[l].count;
  }
  for (int n = 0; n < kOf.operand_count; ++n) {
    const OperandTerms& terms = kOf.operands[n];
    const OperandRow& row = *terms.row;
    bool there = true;
    for (int w = 0; w < 2; ++w) {
      if (terms.where[w] == kNothing) continue;
      there = there && (fields[terms.where[w]] == row.where[w].value) == row.where[w].equal;
    }
    if (!there) continue;
    NestOperand& o = nest.operand_list[nest.operand_count++];
    o.row = &row;
    o.space = SpaceOf(row.place, fields[terms.place]);
    o.write = row.use == OperandUse::kWrite;
    o.dense = terms.dense;
    o.inside = row.inside;
    o.later = terms.not_first != kNothing && fields[terms.not_first] != 0;
    o.whole = kOf.transfer || o.space == Space::Of(Memory::kUop);
    o.uop = terms.uop;
    o.not_init = !row.not_uop.empty();
    o.moves = terms.moves;
    o.base = fields[terms.base];
    int64_t tile = 1;
    if (row.in_tiles) {
      const bool named = row.tile_of.kind == PlaceKind::kMemoryField;
      tile = config.TileBytes(
          static_cast<Memory>(named ? fields[terms.tile_of] : row.tile_of.index), profile);
      o.base *= tile;
    }
    switch (row.extent) {
      case ExtentKind::kOne:
        break;
      case ExtentKind::kField:
        o.extent = fields[terms.extent];
        break;
      case ExtentKind::kTile:
        o.extent = tile;
        break;
      case ExtentKind::kWhole:
        o.extent = config.Depth(static_cast<Memory>(row.place.index), profile);
        break;
      case ExtentKind::kTapTiles:
        o.extent = CeilDiv(parts, config.block_in);
        break;
    }
    int64_t run = 1;
    for (int l = kOf.loop_count - 1; l >= 0; --l) {
      o.strides[l] = terms.strides[l] == kInTurn ? run : fields[terms.strides[l]] * tile;
      run *= nest.loop_list[l].count;
    }
  }
  return nest;
}

template <typename T>
int64_t StepsOfOne(const T& insn) {
  static constexpr const InsnTerms& kOf = kTerms<T>;
  if (kOf.loop_count == 0) return 0;
  const FieldNumbers<T> fields(insn);
  int64_t product = 1;
  for (int l = 0; l < kOf.loop_count; ++l) {
    if (!kOf.loops[l].within) product *= LoopOf(kOf.loops[l], fields).count;
  }
  return product;
}

}  // namespace

std::string Text(Space space) {
  if (space.is_segment()) return fmt::format("segment {}", space.segment());
  return std::string(Text(space.memory()));
}

int64_t InsnNest::steps() const {
  int64_t product = loop_count == 0 ? 0 : 1;
  for (const NestLoop& loop : loops()) product *= loop.within ? 1 : loop.count;
  return product;
}

InsnNest NestOf(const Insn& insn, const Config& config) {
  return std::visit([&](const auto& one) { return Evaluate(one, config, Profile::kTessera); },
                    insn);
}
InsnNest NestOf(const VtaInsn& insn, const Config& config) {
  return std::visit([&](const auto& one) { return Evaluate(one, config, Profile::kVta); }, insn);
}

int64_t StepsOf(const Insn& insn) {
  return std::visit([](const auto& one) { return StepsOfOne(one); }, insn);
}
int64_t StepsOf(const VtaInsn& insn) {
  return std::visit([](const auto& one) { return StepsOfOne(one); }, insn);
}

}  // namespace tessera::isa
