// SPDX-License-Identifier: Apache-2.0
//
// Runs the loop IR of a program's regions over symbols, one region after the other, to find what
// the program must compute. Each buffer has its own memory here, so no tile is overwritten. Depends
// on: symbol.h, compiler/network, compiler/target. Used by: validate.cc.
#ifndef TESSERA_COMPILER_VALIDATE_SOURCE_RUN_H_
#define TESSERA_COMPILER_VALIDATE_SOURCE_RUN_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "compiler/network/program.h"
#include "compiler/validate/index_code.h"
#include "compiler/validate/symbol.h"
#include "isa/config.h"

namespace tessera::validate {

// Receives each step: place |index| of |buffer| (a tile, or an element of device memory) became
// |result|, made from |reads|.
class SourceListener {
 public:
  virtual ~SourceListener() = default;
  virtual void Made(size_t region, const ir::Buffer& buffer, int64_t index, Symbol result,
                    std::span<const Symbol> reads) = 0;
};

inline constexpr Symbol kNothing = 0;

class SourceRun {
 public:
  // Device memory is tracked in pieces of |grain| bytes.
  SourceRun(const network::ProgramPlan& plan, const std::vector<lower::accel::AccelRegion>& regions,
            const isa::Config& config, int64_t grain, SourceListener* listener = nullptr);

  // errors: kUnsupported, names a statement that is not tile work or an access across pieces
  Status Run();

  // The pieces of plan.needs[|need|] after all regions; kNothing: not written.
  std::span<const Symbol> MemoryOf(size_t need) const { return pieces_[need]; }

 private:
  // The contents of a buffer.
  struct Room {
    std::vector<SymbolCell>* tiles = nullptr;        // of a scratchpad
    std::optional<std::span<Symbol>> pieces;         // of device memory
    const std::vector<uint8_t>* constant = nullptr;  // known bytes of device memory
  };
  enum class TileOp : uint8_t {
    kLoad,
    kFill,
    kStore,
    kGemm,
    kWindow,
    kRequant,
    kRequantRecord,
    kAdd,
    kAlu,
    kAluNumber,
  };
  struct PlaceCode {
    ir::Buffer buffer;
    IndexCode offset;              // elements
    int64_t unit = 1;              // elements of a place: of a tile, or 1 in device memory
    bool affine = false;           // in all loops of the nest, with whole places
    std::vector<int64_t> strides;  // if affine: places for each loop
  };
  struct TileCallCode {
    TileOp op = TileOp::kLoad;
    std::vector<PlaceCode> places;
    ir::Buffer table;  // that results are looked up in; or none
    std::vector<IndexCode> values;
    std::vector<bool> varies;  // whether a value uses a loop of the nest
  };
  // A condition, or one of its parts joined by "and".
  struct PartCode {
    IndexCode code;
    size_t level = 0;  // after this many loops of the nest it can be evaluated
  };
  // A perfect nest around one call.
  struct NestCode {
    std::vector<size_t> slots;
    std::vector<IndexCode> extents;
    std::vector<PartCode> guards, conditions;
    TileCallCode call;
    std::optional<TileCallCode> otherwise;
    bool plain = false;  // places are affine, only the first value varies
  };
  // A call with its places and values.
  struct Ready {
    const TileCallCode* code = nullptr;
    std::array<Room, 3> rooms;
    std::array<int64_t, 12> values{};
    Symbol numbers = 0;
    Symbol table = 0;
  };
  // A nest in execution: its calls at the first iteration.
  struct NestRun {
    const NestCode* nest = nullptr;
    std::vector<int64_t> extents;
    std::array<Ready, 2> ready;  // the call, and the one for false conditions
  };
  using Places = std::array<int64_t, 3>;

  // Runs one function of region |region_|.
  Status RunFunc(const lower::accel::LoweredRegion& lowered);
  Room RoomOf(const lower::accel::RegionBuffer& bound, const ir::Buffer& param);
  Status Exec(const ir::Stmt& s);
  // |s| as a nest; null if it is not a perfect nest around a call. Made once per statement.
  Result<const NestCode*> NestOf(const ir::Stmt& s);
  Result<TileCallCode> MakeCall(const ir::Expr& call, const std::vector<ir::Expr>& vars);
  Status RunNest(const NestCode& nest);
  void RunPlain(const NestCode& nest, const std::vector<int64_t>& extents);
  // Runs the iterations of loops |loop| and further in. |at|: the places of both calls; |inside|:
  // whether the conditions evaluated so far hold.
  Status RunEach(const NestRun& run, size_t loop, std::array<Places, 2> at, bool inside);
  // The parts of |conditions| in a nest with loops |vars|.
  Result<std::vector<PartCode>> PartsOf(const std::vector<ir::Expr>& conditions,
                                        const std::vector<ir::Expr>& vars);
  // In tiles, or elements of device memory, at the current iteration.
  int64_t PlaceAt(const PlaceCode& place);
  // With the values at the current iteration.
  Ready MakeReady(const TileCallCode& code) const;
  void Finish(Ready* ready) const;
  void Step(const Ready& ready, const Places& at, bool first);
  SymbolCell& TileAt(const Ready& ready, size_t place, int64_t at);
  Symbol LoadFrom(const Ready& ready, int64_t at);
  void StoreTo(const Ready& ready, int64_t at, Symbol stored);

  const network::ProgramPlan& plan_;
  const std::vector<lower::accel::AccelRegion>& regions_;
  const isa::Config config_;
  const int64_t grain_;
  SourceListener* const listener_;
  size_t region_ = 0;
  LoopValues loops_;
  std::unordered_map<const ir::BufferNode*, Room> rooms_;
  std::unordered_map<const ir::StmtNode*, std::unique_ptr<NestCode>> nests_;
  std::map<int, std::vector<SymbolCell>> kept_;  // by activation: tensors that stay in INP
  std::vector<Symbol> memory_;                   // of all needs
  std::vector<std::span<Symbol>> pieces_;        // by need
  std::string wrong_;                            // the first access outside its buffer
  uint64_t unwritten_ = 0;
};

}  // namespace tessera::validate

#endif  // TESSERA_COMPILER_VALIDATE_SOURCE_RUN_H_
