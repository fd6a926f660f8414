// SPDX-License-Identifier: Apache-2.0
//
// The places of a buffer's elements (base/layout.h), as loop IR and as text. Depends on ir.h.
#ifndef TESSERA_COMPILER_IR_LAYOUT_H_
#define TESSERA_COMPILER_IR_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/ir.h"

namespace tessera::ir {

// Upper limit on the elements of a buffer.
inline constexpr int64_t kMostElements = int64_t{1} << 40;

// Extents of the physical dimensions; the logical shape for an empty layout.
std::vector<int64_t> PhysicalShape(const BufferNode& buffer);

// For each physical dimension: the distance from one index to the next, in elements.
std::vector<int64_t> PhysicalStrides(const BufferNode& buffer);

// The logical shape, enlarged to whole blocks and by the halo behind it: every index below it has a
// place, but only those below |shape| carry data.
std::vector<int64_t> PaddedShape(const BufferNode& buffer);

// Elements that the buffer occupies, padding and stride gaps included.
int64_t SizeInElements(const BufferNode& buffer);
int64_t SizeInBytes(const BufferNode& buffer);

// The physical indices of a logical index.
std::vector<Expr> PhysicalIndices(const BufferNode& buffer, const std::vector<Expr>& indices);

// Element offset of a logical index.
Expr OffsetOf(const BufferNode& buffer, const std::vector<Expr>& indices);
// The same as a form, reduced for |ranges|.
Linear OffsetOf(const BufferNode& buffer, const std::vector<Linear>& indices, const Ranges& ranges);
int64_t OffsetOf(const BufferNode& buffer, const std::vector<int64_t>& indices);

// PackLayout: row-major logical |data| in the layout of |buffer|, with padding filled. |data| must
// have exactly the elements of the shape. UnpackLayout is the inverse.
std::vector<uint8_t> PackLayout(const BufferNode& buffer, const std::vector<uint8_t>& data);
std::vector<uint8_t> UnpackLayout(const BufferNode& buffer, const std::vector<uint8_t>& data);

// Layout text: "0, 1/16, 1+2+1, 3, 1%16 fill 0" (dimension, /div, %mod; before+dimension+after for
// a halo; :stride behind each or none). ParseLayout checks that the layout is a bijection of the
// blocked dimensions of a |rank|-dimensional tensor, and drops pieces of one index ("1%1").
std::string LayoutText(const Layout& layout);
Result<Layout> ParseLayout(const std::string& text, int rank);

// Splits dimension |dim| into blocks of |block|, innermost: NCHW with dim 1 and 16 gives NCHW16c.
Layout BlockedLayout(int rank, int dim, int64_t block, int64_t fill = 0);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_LAYOUT_H_
