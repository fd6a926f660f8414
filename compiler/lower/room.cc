// SPDX-License-Identifier: Apache-2.0
//
// Checks that two copies of each rotating buffer fit. It works on the loops, because boxes are
// known only after all steps.
#include <map>

#include "base/bits.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/usage.h"
#include "compiler/lower/lower.h"

namespace tessera::lower {
namespace {

// |around|: bytes of the allocations around |s|.
Status Check(const ir::Stmt& s, std::map<ir::Scope, int64_t> around, const target::Target& target) {
  const target::TargetMemory* memory =
      s->kind == ir::StmtKind::kAlloc ? target.FindMemory(s->buffer->scope) : nullptr;
  if (memory != nullptr && memory->bytes > 0) {
    const ir::Buffer& buffer = s->buffer;
    const auto bytes_of = [&](const ir::Buffer& b) { return memory->Taken(ir::SizeInBytes(*b)); };
    const int64_t beside =
        around[buffer->scope] + ir::MostInUse(s->body[0], buffer->scope, bytes_of);
    if (buffer->rotates && beside + 2 * bytes_of(buffer) > memory->bytes) {
      return Fail(Code::kOutOfRange,
                  "double_buffer {}: two copies are {} bytes of {}, beside {} of what is there "
                  "with them; {} has {}; choose a smaller tile of work, or leave the step out",
                  buffer->name, 2 * bytes_of(buffer), ir::ScopeName(buffer->scope), beside,
                  ir::ScopeName(buffer->scope), memory->bytes);
    }
    around[buffer->scope] += bytes_of(buffer);
  }
  for (const ir::Stmt& b : s->body) TESSERA_TRY(Check(b, around, target));
  return {};
}

}  // namespace

Status CheckRoom(const ir::Func& func, const target::Target& target) {
  return Check(func.body, {}, target);
}

}  // namespace tessera::lower
