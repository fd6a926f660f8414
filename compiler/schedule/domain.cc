// SPDX-License-Identifier: Apache-2.0
//
// Domains of decisions: what the steps so far leave of them.
#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {
namespace {

// Every divisor of |total|, or every ceil(total / k), in any order, some twice.
std::vector<int64_t> Candidates(DomainKind kind, int64_t total) {
  std::vector<int64_t> values;
  for (int64_t k = 1; k <= total / k; ++k) {
    if (kind == DomainKind::kTiles) {
      // With all k of up to the root, each size above the root is there; below it all sizes are.
      values.insert(values.end(), {CeilDiv(total, k), k});
    } else if (total % k == 0) {
      values.insert(values.end(), {total / k, k});
    }
  }
  return values;
}

}  // namespace

Result<std::vector<int64_t>> Editor::ValuesOf(const Domain& domain) {
  if (domain.kind == DomainKind::kList) return domain.values;
  TESSERA_ASSIGN(const Stage* stage, FindCompute(domain.stage));
  TESSERA_ASSIGN(const int leaf, FindLeaf(*stage, domain.axis));
  const int64_t total =
      stage->Iterations(stage->shape).at(stage->leaves[static_cast<size_t>(leaf)].var.get());
  std::vector<int64_t> values = Candidates(domain.kind, total);
  std::ranges::sort(values);
  const auto twice = std::ranges::unique(values);
  values.erase(twice.begin(), twice.end());
  if (domain.kind == DomainKind::kTiles) {
    std::erase_if(values,
                  [&](int64_t v) { return v > 1 && CeilDiv(total, v) == CeilDiv(total, v - 1); });
  }
  if (!domain.most) return values;

  int64_t most = domain.most->number;
  std::string why = fmt::format("at most {} are wanted", most);
  if (domain.most->room) {
    const ir::Scope scope = *domain.most->room;
    TESSERA_TRY(RequireMemory(scope));
    const int64_t bytes = s_->target().FindMemory(scope)->bytes;
    if (bytes == 0) return values;  // of any size
    most = bytes;
    why = fmt::format("{} has {} bytes, by", ir::ScopeName(scope), bytes);
    for (const Amount& amount : domain.most->per) {
      TESSERA_ASSIGN(const int64_t by, Value(amount));
      most /= by;
      why += fmt::format(" {}", by);
    }
  }
  std::erase_if(values, [&](int64_t v) { return v > most; });
  if (!values.empty()) return values;
  return Fail(Code::kOutOfRange, "no tile of the {} iterations of {} is small enough: {}", total,
              domain.axis, why);
}

}  // namespace tessera::schedule
