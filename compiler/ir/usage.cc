// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/usage.h"

#include <algorithm>

namespace tessera::ir {

int64_t MostInUse(const Stmt& s, Scope scope, const std::function<int64_t(const Buffer&)>& size) {
  int64_t most = 0;
  for (const Stmt& b : s->body) most = std::max(most, MostInUse(b, scope, size));
  if (s->kind == StmtKind::kAlloc && s->buffer->scope == scope) most += size(s->buffer);
  return most;
}

}  // namespace tessera::ir
