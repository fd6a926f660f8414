// SPDX-License-Identifier: Apache-2.0
//
// Symbols: a 64-bit name for the contents of a tile. Equal histories of operations on equal sources
// have equal symbols. If the results of two programs have equal symbols, the programs compute the
// same for all inputs, except for a hash collision with probability of about 2^-64. The run of loop
// IR (source_run.h) and that of instructions (machine_run.h) share only these functions. Depends
// on: base.
#ifndef TESSERA_COMPILER_VALIDATE_SYMBOL_H_
#define TESSERA_COMPILER_VALIDATE_SYMBOL_H_

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>

#include "base/hash.h"

namespace tessera::validate {

using Symbol = uint64_t;

// A symbol of |a| and |b|, in this order: folds both halves of their product.
inline Symbol Join(Symbol a, Symbol b) {
  const auto product =
      static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd1b54a32d192ed03u);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}
inline Symbol Join(std::initializer_list<int64_t> numbers) {
  Symbol all = 0x2545f4914f6cdd1du;
  for (const int64_t n : numbers) all = Join(all, Mix64(static_cast<uint64_t>(n) + 1));
  return all;
}

// The operation that makes a symbol. kProduct to kAluEnd are sums, whose terms are unordered.
enum class Operation : uint8_t {
  kNone,     // the symbol is the contents
  kProduct,  // of the array: tile products and taps of windows
  kAlu,      // + AluOp
  kAluEnd = kAlu + 15,
  kRequant,
  kRequantRecord,
  kAdd,
  kTable,
  kLookup,
  kPad,
  kBytes,
  kInput,
  kLoaded,
  kPiece,
  kUnwritten,
};
inline Symbol Tag(Operation operation) { return Mix64(static_cast<uint64_t>(operation) + 0x5eed); }

// The contents of a tile. The terms of a growing sum are added, so that their order does not count.
struct SymbolCell {
  Symbol value = 0;
  Operation sum = Operation::kNone;
  Symbol symbol() const { return sum == Operation::kNone ? value : Join(value, Tag(sum)); }
  void Begin(Operation operation) { *this = {0, operation}; }
  void Append(Operation operation, Symbol term) {
    if (sum != operation) *this = {symbol(), operation};
    value += term;
  }
};

inline Symbol Pad(int64_t value) {
  return Join(Tag(Operation::kPad), Mix64(static_cast<uint64_t>(value)));
}
// Known bytes.
inline Symbol Bytes(std::span<const uint8_t> bytes) {
  Symbol all = Join(Tag(Operation::kBytes), bytes.size());
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, &bytes[at], 8);
    all = Join(all, word);
  }
  uint64_t rest = 0;
  if (at < bytes.size()) std::memcpy(&rest, &bytes[at], bytes.size() - at);
  return at < bytes.size() ? Join(all, rest) : all;
}
// Unwritten contents: each |place| has its own symbol.
inline Symbol Unwritten(uint64_t place) { return Join(Tag(Operation::kUnwritten), Mix64(place)); }
// Piece |index| of tensor |need| in memory that is filled before the program.
inline Symbol InputPiece(uint64_t need, uint64_t index) {
  return Join(Join(Tag(Operation::kInput), Mix64(need)), Mix64(index));
}
// StoredPiece: piece |index| of a stored tile. LoadedTile: a tile made of pieces of memory.
inline Symbol StoredPiece(Symbol tile, uint64_t index) {
  return Join(Join(Tag(Operation::kPiece), tile), Mix64(index));
}
inline Symbol LoadedTile(std::span<const Symbol> pieces) {
  Symbol all = Tag(Operation::kLoaded);
  for (const Symbol piece : pieces) all = Join(all, piece);
  return all;
}
inline Symbol ProductTerm(Symbol inp, Symbol wgt) { return Join(inp, wgt); }
inline Symbol TapTerm(Symbol inp, Symbol wgt, int64_t column) {
  return Join(Join(inp, wgt), Mix64(static_cast<uint64_t>(column) + 1));
}
// |numbers|: the joined numbers of the instruction: rounding, zero points, shifts and limits.
inline Symbol Requantised(Symbol src, Symbol numbers) {
  return Join(Join(Tag(Operation::kRequant), src), numbers);
}
inline Symbol RequantisedBy(Symbol src, Symbol record, Symbol numbers) {
  return Join(Join(Join(Tag(Operation::kRequantRecord), src), record), numbers);
}
inline Symbol Added(Symbol src, Symbol acc, Symbol numbers) {
  return Join(Join(Join(Tag(Operation::kAdd), src), acc), numbers);
}
// The table in |tiles|, and the result |value| of an instruction looked up in it.
inline Symbol TableSymbol(std::span<const SymbolCell> tiles) {
  Symbol all = Tag(Operation::kTable);
  for (const SymbolCell& tile : tiles) all = Join(all, tile.symbol());
  return all;
}
inline Symbol LookedUp(Symbol value, Symbol table) {
  return Join(Join(Tag(Operation::kLookup), value), table);
}
inline Operation AluSum(int64_t op) {
  return static_cast<Operation>(static_cast<int64_t>(Operation::kAlu) + op);
}
inline Symbol AluTerm(Symbol src, int64_t src_zero) {
  return Join(src, Mix64(static_cast<uint64_t>(src_zero) + 1));
}
inline Symbol AluNumber(int64_t number) { return Join({number}); }

}  // namespace tessera::validate

#endif  // TESSERA_COMPILER_VALIDATE_SYMBOL_H_
