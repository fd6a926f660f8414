// SPDX-License-Identifier: Apache-2.0
//
// Runs the outer loops of a region's IR at compile time: allocations take pieces of scratchpad
// rings, leaf nests become instructions. Depends on: compiler/ir, jit. Used by: accel.cc.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_EXECUTE_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_EXECUTE_H_

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/codegen/accel/emit.h"
#include "compiler/codegen/accel/ring.h"
#include "compiler/ir/ir.h"
#include "isa/config.h"
#include "jit/program_builder.h"

namespace tessera::codegen::accel {

// One scratchpad's ring and where it begins.
struct InpRing {
  RingAllocator ring;
  int64_t base = 0;
};

// The scratchpads' rings; they go on from region to region.
struct Rings {
  explicit Rings(const isa::Config& config);
  RingAllocator& Of(ir::Scope scope);
  // From here on boxes in INP are in |tiles| tiles from |base|.
  void UseInp(int64_t base, int64_t tiles);
  // Where the ring of |scope| begins.
  int64_t BaseOf(ir::Scope scope) const { return scope == ir::Scope::kInp ? inp.base : 0; }
  // Tiles that |buffer| takes, at least one.
  int64_t TilesOf(const ir::Buffer& buffer) const;
  // A piece of |tiles| tiles; |need|: of all that is used together from here on, which lies in one
  // stretch when nothing is in use.
  std::optional<int64_t> Take(ir::Scope scope, int64_t tiles, int64_t need);
  InpRing inp;
  RingAllocator wgt, acc, out, prm;

 private:
  isa::Config config_;
};

// The most tiles of |scope| that rotating buffers of |s| have at one time.
int64_t MostRotating(const ir::Stmt& s, ir::Scope scope, Rings& rings);

// Where buffers that do not rotate are: in one piece of each ring, taken while their function runs.
class FixedPlaces {
 public:
  explicit FixedPlaces(Rings* rings) : rings_(*rings) {}
  FixedPlaces(const FixedPlaces&) = delete;
  FixedPlaces& operator=(const FixedPlaces&) = delete;
  ~FixedPlaces();

  // Gives those of |body| their places and tells |emitter|.
  //   errors  kOutOfRange   those that it has at one time do not fit: names one of them
  //           kUnsupported  one is in device memory
  Status Take(const ir::Stmt& body, LeafEmitter& emitter);

 private:
  struct Top {
    int64_t tiles = 0;
    ir::Buffer buffer;  // that reaches so far
  };
  Status FindPlaces(const ir::Stmt& s, std::map<ir::Scope, int64_t> now,
                    std::map<ir::Scope, Top>* most);

  Rings& rings_;
  std::vector<std::pair<ir::Buffer, int64_t>> places_;  // in their piece
  std::map<ir::Scope, int64_t> pieces_;
};

// What a run took of the rings and gave back, in order.
struct PieceStep {
  ir::Scope scope = ir::Scope::kInp;
  int64_t tiles = 0, need = 0;  // Rings::Take's
  int64_t begin = 0;            // first tile in its scratchpad
  int64_t taken = -1;           // gives back what this step took
};

// What to tell of a run.
struct RunHooks {
  // Which leaves count, whatever their loops; null: all.
  std::function<bool(const Leaf&)> wanted;
  // Called before each leaf is emitted.
  std::function<Status(const target::SolvedLeaf&)> before_leaf;
  // Called after each leaf that computes on the array or reduces a window.
  std::function<Status()> after_product;
  std::vector<PieceStep>* pieces = nullptr;
};

// Emits the instructions of |body|, with the loops around it at |env|. |emitter| knows where the
// function's parameters and the buffers of fixed places are. A buffer that rotates takes the next
// piece of its ring each time it is allocated.
//   errors  kOutOfRange   a scratchpad is too small for what is allocated at one time
//           and those of Emitter::Emit
Status ExecuteIn(const ir::Stmt& body, const Env& env, LeafEmitter& emitter, Rings& rings,
                 const RunHooks& hooks = {});

// The same of a whole function's body: buffers that do not rotate have one place from begin to end,
// which those that are never there with it may share.
Status Execute(const ir::Stmt& body, LeafEmitter& emitter, Rings& rings);

// How often ExecuteIn would call |after_product|. errors: kUnsupported, Execute's
Result<int64_t> CountProducts(const ir::Stmt& body);

// Tiles of a scratchpad's buffer in a row, from its first.
struct TileRun {
  ir::Buffer buffer;
  int64_t first = 0, last = 0;
  bool Meets(const TileRun& other) const {
    return buffer == other.buffer && first <= other.last && other.first <= last;
  }
};
// The tiles of operand |op|, of a scratchpad, that |leaf| touches.
std::vector<TileRun> RunsOf(const target::SolvedLeaf& leaf, size_t op, const isa::Config& config);
// Each leaf that ExecuteIn would emit of |body|, of those that are |wanted|, if given. errors:
// kUnsupported, Execute's; |visit|'s
Status VisitLeaves(const ir::Stmt& body,
                   const std::function<Status(const target::SolvedLeaf&)>& visit,
                   const std::function<bool(const Leaf&)>& wanted = {});

// Whether |body| allocates in |scope|.
bool Allocates(const ir::Stmt& body, ir::Scope scope);

// Buffers that are given room before the statements that use them run; Release gives it back.
class Held {
 public:
  // All of |buffers|, in order, or none of them: whether they were given room. |emitter| learns
  // their places.
  bool Take(const std::vector<ir::Buffer>& buffers, LeafEmitter& emitter, Rings& rings);
  void Release(Rings& rings);

 private:
  std::vector<std::pair<ir::Scope, int64_t>> pieces_;
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_EXECUTE_H_
