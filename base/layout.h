// SPDX-License-Identifier: Apache-2.0
//
// Layout: the places of the elements of a logical tensor in memory. The loop IR, host code,
// activations in device memory and the artifact share this type. Depends on: base. Used by:
// compiler/ir, compiler/schedule/accel, compiler/driver, runtime/artifact.
#ifndef TESSERA_BASE_LAYOUT_H_
#define TESSERA_BASE_LAYOUT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"

namespace tessera {

// One physical dimension of a layout: index[dim] / div, then % mod if mod is not 0. A physical
// dimension that is a whole logical one may have a halo: |before| indices in front of the first and
// |after| behind the last, filled with the layout's |fill|.
struct LayoutDim {
  int dim = 0;
  int64_t div = 1;
  int64_t mod = 0;
  int64_t before = 0, after = 0;
  bool operator==(const LayoutDim&) const = default;
};

// A map from logical indices to a physical array. Without dims the physical dimensions are the
// logical ones. Blocked dimensions are padded with |fill| to whole blocks. NCHW16c is
// {0, 1/16, 2, 3, 1%16}.
struct Layout {
  std::vector<LayoutDim> dims;  // outermost first
  int64_t fill = 0;
  // Elements from one index to the next, for each physical dimension; empty: no gaps.
  std::vector<int64_t> strides;
  bool empty() const { return dims.empty(); }
  bool operator==(const Layout&) const = default;
};

// Checks that |layout| fits a tensor of |shape| and puts all elements below |most_elements|.
//   errors  kInvalidArgument  a dimension that the shape lacks, a divisor below 1, a negative
//                             modulus, stride or halo, a halo of a part of a dimension, more or
//                             fewer strides than dimensions, strides with which two elements may
//                             share a place
//           kOutOfRange       an element past |most_elements|
Status CheckLayout(std::span<const int64_t> shape, const Layout& layout, uint64_t most_elements);

// The functions below take a layout that CheckLayout accepts.

// Extents of the physical dimensions.
std::vector<int64_t> PhysicalShape(std::span<const int64_t> shape, const Layout& layout);
// Elements from one index to the next, for each physical dimension.
std::vector<int64_t> PhysicalStrides(std::span<const int64_t> shape, const Layout& layout);
// Elements that the tensor occupies, padding and gaps included.
int64_t SizeInElements(std::span<const int64_t> shape, const Layout& layout);
// Whether every element is at its place in a row-major array, without padding.
bool IsRowMajor(std::span<const int64_t> shape, const Layout& layout);

// Packs row-major |data| (elements of |element_bytes| bytes) into |layout| and fills the padding;
// UnpackLayout does the reverse. |data| holds the product of |shape|, |packed| SizeInElements
// elements; other sizes are a bug of the caller.
std::vector<uint8_t> PackLayout(std::span<const int64_t> shape, const Layout& layout,
                                int64_t element_bytes, std::span<const uint8_t> data);
std::vector<uint8_t> UnpackLayout(std::span<const int64_t> shape, const Layout& layout,
                                  int64_t element_bytes, std::span<const uint8_t> packed);

}  // namespace tessera

#endif  // TESSERA_BASE_LAYOUT_H_
