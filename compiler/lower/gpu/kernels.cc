// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/gpu/kernels.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/ir/layout.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/gpu/group.h"
#include "compiler/lower/gpu/owner.h"
#include "compiler/lower/lower.h"

namespace tessera::lower {
namespace {

using ir::Scope;
using ir::Stmt;
using ir::StmtKind;
using schedule::Schedule;

// The steps of |schedule| for which |wanted| holds, as "schedule step 3 (bind y i thread.x)".
template <typename Wanted>
std::string Steps(const Schedule& schedule, Wanted&& wanted) {
  std::vector<std::string> found;
  for (size_t n = 0; n < schedule.trace().size(); ++n) {
    const schedule::Step& step = schedule.trace()[n];
    if (std::visit(wanted, step)) found.push_back(schedule::NameOf(step, n + 1));
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

Status CheckLimits(const Schedule& schedule, const GpuKernel& kernel) {
  const target::Target& target = schedule.target();
  const int64_t threads = kernel.threads[0] * kernel.threads[1] * kernel.threads[2];
  if (target.max_threads != 0 && threads > target.max_threads) {
    return Fail(Code::kOutOfRange,
                "{} x {} x {} = {} threads in a group, {} has at most {}; {}: split by "
                "smaller factors",
                kernel.threads[0], kernel.threads[1], kernel.threads[2], threads, target.name,
                target.max_threads, Steps(schedule, [](const auto& s) {
                  if constexpr (std::is_same_v<std::decay_t<decltype(s)>, schedule::BindStep>)
                    return schedule::IsThread(s.kind);
                  return false;
                }));
  }
  for (size_t k = 0; k < 6; ++k) {
    const auto kind = static_cast<ir::LoopKind>(static_cast<size_t>(ir::LoopKind::kGridX) + k);
    const int64_t count = k < 3 ? kernel.groups[k] : kernel.threads[k - 3];
    if (count <= target.MostOf(kind)) continue;
    return Fail(Code::kOutOfRange,
                "{} iterations of {} in a kernel, {} has at most {}; {}: split by other "
                "factors, or bind to another dimension",
                count, ir::LoopKindName(kind), target.name, target.MostOf(kind),
                Steps(schedule, [&](const auto& s) {
                  if constexpr (std::is_same_v<std::decay_t<decltype(s)>, schedule::BindStep>)
                    return s.kind == kind;
                  return false;
                }));
  }
  const target::TargetMemory* memory = target.FindMemory(Scope::kShared);
  int64_t bytes = 0;
  for (const ir::Buffer& b : kernel.shared) bytes += ir::SizeInBytes(*b);
  if (memory == nullptr || memory->bytes == 0 || bytes <= memory->bytes) return {};
  std::vector<std::string> sizes;
  for (const ir::Buffer& b : kernel.shared)
    sizes.push_back(fmt::format("{} {}", b->name, ir::SizeInBytes(*b)));
  const auto made_here = [&](const auto& s) {
    using Made = std::decay_t<decltype(s)>;
    std::string name;
    if constexpr (std::is_same_v<Made, schedule::SetScopeStep>) name = s.stage;
    if constexpr (std::is_same_v<Made, schedule::CacheReadStep> ||
                  std::is_same_v<Made, schedule::CacheWriteStep>)
      name = s.name;
    return std::ranges::any_of(kernel.shared, [&](const ir::Buffer& b) { return b->name == name; });
  };
  return Fail(Code::kOutOfRange,
              "{} bytes of shared memory ({}), {} has {} for a group; {}: attach them "
              "further in, or split by smaller factors",
              bytes, fmt::join(sizes, ", "), target.name, memory->bytes,
              Steps(schedule, made_here));
}

// A group's threads hide the latency of reads, so prefetches are dropped.
Stmt WithoutPrefetches(const Stmt& s) {
  if (s->kind == StmtKind::kPrefetch) return {};
  return ir::MapParts(
      s, [](const ir::Expr& e) { return e; }, WithoutPrefetches);
}

class Splitter {
 public:
  Splitter(const Schedule& schedule, KernelFunc* out) : schedule_(schedule), out_(*out) {
    for (const schedule::Stage& s : schedule.stages()) {
      if (s.attach == schedule::Attach::kAfter) loose_.insert(s.name);
    }
  }

  // Statements outside of every kernel.
  Status Top(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::kAlloc:
        if (s->buffer->scope != Scope::kGlobal) {
          return Fail(
              Code::kInvalidArgument,
              "{} is in {} memory, which ends with a kernel, but all of it is computed "
              "before its readers; compute_at it inside a grid loop, or set_scope {} global",
              s->buffer->name, ir::ScopeName(s->buffer->scope), s->buffer->name);
        }
        out_.temporaries.push_back(s->buffer);
        return Top(s->body[0]);
      case StmtKind::kSeq:
        for (const Stmt& b : s->body) TESSERA_TRY(Top(b));
        return {};
      default:
        return OneKernel(s);
    }
  }

 private:
  Status OneKernel(const Stmt& s) {
    GpuKernel kernel{.name = fmt::format("{}_{}", out_.loops.name, out_.kernels.size())};
    TESSERA_TRY(FindGeometry(s, &kernel));
    kernel.body = ir::Simplify(kernel.body, kernel.IdRanges());
    TESSERA_TRY(Privatize(loose_, &kernel));
    TESSERA_TRY(InsertBarriers(loose_, &kernel));
    ToThread(&kernel);
    TESSERA_TRY(CheckLimits(schedule_, kernel));
    const int64_t lanes = schedule_.target().max_lanes;
    const Stmt vectors =
        Vectorize({kernel.name, {}, FitVectors(kernel.body, lanes, kernel.IdRanges())},
                  static_cast<int>(lanes))
            .body;
    const Stmt simple = ir::Simplify(vectors, kernel.IdRanges());
    kernel.body = ir::Simplify(Unroll({kernel.name, {}, simple}).body, kernel.IdRanges());
    FindParams(&kernel);
    out_.kernels.push_back(std::move(kernel));
    return {};
  }

  // Sorts global buffers by their use; each list keeps the order of the function.
  void FindParams(GpuKernel* kernel) const {
    std::vector<ir::Buffer> known = out_.loops.params;
    known.insert(known.end(), out_.temporaries.begin(), out_.temporaries.end());
    const std::vector<ElementAccess> all = AccessesIn(kernel->body);
    for (const bool written : {false, true}) {
      if (written) kernel->written = kernel->params.size();
      for (const ir::Buffer& b : known) {
        bool reads = false, writes = false;
        for (const ElementAccess& a : all) {
          if (a.buffer == b) (a.write ? writes : reads) = true;
        }
        if (written ? writes : reads && !writes) kernel->params.push_back(b);
      }
    }
  }

  const Schedule& schedule_;
  KernelFunc& out_;
  std::set<std::string> loose_;
};

}  // namespace

ir::Func AsFunc(const GpuKernel& kernel) {
  ir::Func func{.name = kernel.name, .params = kernel.params, .body = kernel.body};
  const auto loops = [&](const std::array<ir::Expr, 3>& ids, const std::array<int64_t, 3>& extents,
                         ir::LoopKind x) {
    for (size_t d = 0; d < ids.size(); ++d) {
      const auto kind = static_cast<ir::LoopKind>(static_cast<size_t>(x) + d);
      if (ids[d]) func.body = ir::For(ids[d], 0, extents[d], kind, func.body);
    }
  };
  loops(kernel.thread_ids, kernel.threads, ir::LoopKind::kThreadX);
  for (const ir::Buffer& b : kernel.shared) func.body = ir::Alloc(b, func.body);
  loops(kernel.group_ids, kernel.groups, ir::LoopKind::kGridX);
  return func;
}

Result<KernelFunc> LowerKernels(const Schedule& schedule, const std::string& name,
                                const std::vector<std::string>& params) {
  KernelFunc out;
  TESSERA_ASSIGN(ir::Func loops, BuildLoops(schedule, name, params));
  loops.body = WithoutPrefetches(loops.body);
  out.loops = HoistGuards(ResolveLayouts(HoistGuards(ir::Simplify(loops))));
  Splitter splitter(schedule, &out);
  if (const Status status = splitter.Top(out.loops.body); !status)
    return Within(name, status.error());
  return out;
}

}  // namespace tessera::lower
