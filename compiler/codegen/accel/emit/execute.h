// SPDX-License-Identifier: Apache-2.0
//
// Runs the outer loops of a region's IR at compile time: allocations take pieces of scratchpad
// rings, leaf nests become instructions. Depends on: compiler/ir, jit. Used by: codegen/accel,
// codegen/accel/order.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_EXECUTE_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_EXECUTE_H_

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/codegen/accel/emit/emit.h"
#include "compiler/codegen/accel/emit/ring.h"
#include "compiler/ir/ir.h"
#include "isa/config.h"
#include "jit/program_builder.h"

namespace tessera::codegen::accel {

// The ring of INP and its first tile.
struct InpRing {
  RingAllocator ring;
  int64_t base = 0;
};

// The rings of the scratchpads; they continue from region to region.
struct Rings {
  explicit Rings(const isa::Config& config);
  RingAllocator& Of(ir::Scope scope);
  // From here on, boxes in INP use |tiles| tiles from |base|.
  void UseInp(int64_t base, int64_t tiles);
  // The first tile of the ring of |scope|.
  int64_t BaseOf(ir::Scope scope) const { return scope == ir::Scope::kInp ? inp.base : 0; }
  // Tiles of |buffer|, at least one.
  int64_t TilesOf(const ir::Buffer& buffer) const;
  // Takes a piece of |tiles| tiles. |need| tiles are used together from here on; if the ring is
  // empty, they get one contiguous range.
  std::optional<int64_t> Take(ir::Scope scope, int64_t tiles, int64_t need);
  InpRing inp;
  RingAllocator wgt, acc, out, prm, tab;

 private:
  isa::Config config_;
};

// The most tiles of |scope| that rotating buffers of |s| take at one time.
int64_t MostRotating(const ir::Stmt& s, ir::Scope scope, Rings& rings);

// Places of buffers that do not rotate: one piece of each ring, taken while their function runs.
class FixedPlaces {
 public:
  explicit FixedPlaces(Rings* rings) : rings_(*rings) {}
  FixedPlaces(const FixedPlaces&) = delete;
  FixedPlaces& operator=(const FixedPlaces&) = delete;
  ~FixedPlaces();

  // Places the buffers of |body| and tells |emitter|.
  //   errors  kOutOfRange   the buffers of one time do not fit: names one of them
  //           kUnsupported  a buffer in device memory
  Status Take(const ir::Stmt& body, LeafEmitter& emitter);

 private:
  struct Top {
    int64_t tiles = 0;
    ir::Buffer buffer;  // the buffer that ends there
  };
  Status FindPlaces(const ir::Stmt& s, std::map<ir::Scope, int64_t> now,
                    std::map<ir::Scope, Top>* most);

  Rings& rings_;
  std::vector<std::pair<ir::Buffer, int64_t>> places_;  // offset in the piece
  std::map<ir::Scope, int64_t> pieces_;
};

// A piece that a run took from a ring or gave back; the steps are in order.
struct PieceStep {
  ir::Scope scope = ir::Scope::kInp;
  int64_t tiles = 0, need = 0;  // arguments of Rings::Take
  int64_t begin = 0;            // first tile in its scratchpad
  int64_t taken = -1;           // >= 0: gives back the piece of this step
};

// Callbacks of a run.
struct RunHooks {
  // Selects leaves without regard to their loops; null: all leaves.
  std::function<bool(const Leaf&)> wanted;
  // Called before each leaf is emitted.
  std::function<Status(const target::SolvedLeaf&)> before_leaf;
  // Called after each leaf that computes on the array or reduces a window.
  std::function<Status()> after_product;
  std::vector<PieceStep>* pieces = nullptr;
};

// Emits the instructions of |body|, with the loops around it at |env|. |emitter| knows the places
// of the function's parameters and of the buffers that do not rotate. A rotating buffer takes the
// next piece of its ring at each allocation.
//   errors  kOutOfRange   a scratchpad is too small for the buffers of one time
//           and those of LeafEmitter::Emit
Status ExecuteIn(const ir::Stmt& body, const Env& env, LeafEmitter& emitter, Rings& rings,
                 const RunHooks& hooks = {});

// Does the same for the body of a whole function. Buffers that do not rotate keep one place from
// begin to end; two may share a place if they are never allocated together.
Status Execute(const ir::Stmt& body, LeafEmitter& emitter, Rings& rings);

// The number of calls of |after_product| by ExecuteIn. errors: kUnsupported, Execute's
Result<int64_t> CountProducts(const ir::Stmt& body);

// Consecutive tiles of a scratchpad's buffer, counted from its first tile.
struct TileRun {
  ir::Buffer buffer;
  int64_t first = 0, last = 0;
  bool Meets(const TileRun& other) const {
    return buffer == other.buffer && first <= other.last && other.first <= last;
  }
};
// The tiles of scratchpad operand |op| that |leaf| touches.
std::vector<TileRun> RunsOf(const target::SolvedLeaf& leaf, size_t op, const isa::Config& config);
// Visits each leaf that ExecuteIn would emit of |body| and that is |wanted|, if given. errors:
// kUnsupported, Execute's; those of |visit|
Status VisitLeaves(const ir::Stmt& body,
                   const std::function<Status(const target::SolvedLeaf&)>& visit,
                   const std::function<bool(const Leaf&)>& wanted = {});

// Whether |body| allocates in |scope|.
bool Allocates(const ir::Stmt& body, ir::Scope scope);

// Room for buffers that is taken before the statements that use them run; Release gives it back.
class Held {
 public:
  // Takes room for all of |buffers|, in order, or for none; returns whether it did. Tells |emitter|
  // their places.
  bool Take(const std::vector<ir::Buffer>& buffers, LeafEmitter& emitter, Rings& rings);
  void Release(Rings& rings);

 private:
  std::vector<std::pair<ir::Scope, int64_t>> pieces_;
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_EXECUTE_H_
