// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/bits.h"
#include "base/check.h"

namespace tessera::ir {
namespace {

constexpr int64_t kMostHalo = 65536;
constexpr int64_t kMostBlock = int64_t{1} << 31;

// Checks that the pieces of each dimension chain: div * mod of one is div of the next.
Status RequireBijection(const Layout& layout, const std::string& text, int rank) {
  if (layout.empty()) return {};
  for (int d = 0; d < rank; ++d) {
    std::vector<LayoutDim> chain;
    for (const LayoutDim& l : layout.dims) {
      if (l.dim == d) chain.push_back(l);
    }
    std::sort(chain.begin(), chain.end(),
              [](const LayoutDim& a, const LayoutDim& b) { return a.div < b.div; });
    int64_t next = 1;
    for (size_t i = 0; i < chain.size(); ++i) {
      const bool last = i + 1 == chain.size();
      if (chain[i].div != next || (chain[i].mod == 0) != last) break;
      next = last ? 0 : chain[i].div * chain[i].mod;
    }
    if (next != 0) {
      return Fail(Code::kInvalidArgument,
                  "layout '{}': the pieces of dimension {} do not give "
                  "each index one place (write e.g. {}/16 and {}%16)",
                  text, d, d, d);
    }
  }
  return {};
}

}  // namespace

std::vector<int64_t> PaddedShape(const BufferNode& buffer) {
  std::vector<int64_t> shape = buffer.shape;
  for (const LayoutDim& d : buffer.layout.dims) {
    const int64_t block = d.div * std::max<int64_t>(d.mod, 1);
    shape[d.dim] = std::max(shape[d.dim], CeilDiv(buffer.shape[d.dim], block) * block + d.after);
  }
  return shape;
}

std::vector<int64_t> PhysicalShape(const BufferNode& buffer) {
  return tessera::PhysicalShape(buffer.shape, buffer.layout);
}

std::vector<int64_t> PhysicalStrides(const BufferNode& buffer) {
  return tessera::PhysicalStrides(buffer.shape, buffer.layout);
}

int64_t SizeInElements(const BufferNode& buffer) {
  return tessera::SizeInElements(buffer.shape, buffer.layout);
}

int64_t SizeInBytes(const BufferNode& buffer) {
  return SizeInElements(buffer) * SizeOf(buffer.dtype);
}

std::vector<Expr> PhysicalIndices(const BufferNode& buffer, const std::vector<Expr>& indices) {
  if (buffer.layout.empty()) return indices;
  std::vector<Expr> physical;
  for (const LayoutDim& d : buffer.layout.dims) {
    Expr e = indices[d.dim];
    if (d.before > 0) e = e + Expr(d.before);
    if (d.div > 1) e = FloorDiv(e, d.div);
    if (d.mod > 0) e = FloorMod(e, d.mod);
    physical.push_back(e);
  }
  return physical;
}

Expr OffsetOf(const BufferNode& buffer, const std::vector<Expr>& indices) {
  const std::vector<Expr> physical = PhysicalIndices(buffer, indices);
  const std::vector<int64_t> strides = PhysicalStrides(buffer);
  Expr offset;
  for (size_t d = 0; d < physical.size(); ++d) {
    Expr term = strides[d] == 1 ? physical[d] : physical[d] * Expr(strides[d]);
    offset = offset ? offset + term : term;
  }
  return offset ? offset : Expr(0);
}

Linear OffsetOf(const BufferNode& buffer, const std::vector<Linear>& indices,
                const Ranges& ranges) {
  const std::vector<int64_t> strides = PhysicalStrides(buffer);
  Linear offset;
  for (size_t k = 0; k < strides.size(); ++k) {
    const LayoutDim d =
        buffer.layout.empty() ? LayoutDim{.dim = static_cast<int>(k)} : buffer.layout.dims[k];
    Linear index = indices[d.dim];
    index.constant += d.before;
    if (d.div > 1) index = ToLinear(FloorDiv(FromLinear(index), d.div), ranges);
    if (d.mod > 0) index = ToLinear(FloorMod(FromLinear(index), d.mod), ranges);
    offset = Sum(std::move(offset), Scale(std::move(index), strides[k]), ranges);
  }
  return offset;
}

int64_t OffsetOf(const BufferNode& buffer, const std::vector<int64_t>& indices) {
  const std::vector<int64_t> strides = PhysicalStrides(buffer);
  int64_t offset = 0;
  if (buffer.layout.empty()) {
    for (size_t d = 0; d < indices.size(); ++d) offset += indices[d] * strides[d];
    return offset;
  }
  for (size_t d = 0; d < buffer.layout.dims.size(); ++d) {
    const LayoutDim& l = buffer.layout.dims[d];
    int64_t i = (indices[l.dim] + l.before) / l.div;  // not negative here
    if (l.mod > 0) i %= l.mod;
    offset += i * strides[d];
  }
  return offset;
}

std::vector<uint8_t> PackLayout(const BufferNode& buffer, const std::vector<uint8_t>& data) {
  TESSERA_CHECK(buffer.layout.fill == 0 || !IsFloat(buffer.dtype),
                "{}: a float layout fills with zero", buffer.name);
  return tessera::PackLayout(buffer.shape, buffer.layout, SizeOf(buffer.dtype), data);
}

std::vector<uint8_t> UnpackLayout(const BufferNode& buffer, const std::vector<uint8_t>& data) {
  TESSERA_CHECK(static_cast<int64_t>(data.size()) == SizeInBytes(buffer), "{}", buffer.name);
  return tessera::UnpackLayout(buffer.shape, buffer.layout, SizeOf(buffer.dtype), data);
}

std::string LayoutText(const Layout& layout) {
  std::string text;
  for (size_t k = 0; k < layout.dims.size(); ++k) {
    const LayoutDim& d = layout.dims[k];
    if (!text.empty()) text += ", ";
    const bool halo = d.before + d.after > 0;
    text += halo ? fmt::format("{}+{}+{}", d.before, d.dim, d.after) : std::to_string(d.dim);
    if (d.div > 1) text += fmt::format("/{}", d.div);
    if (d.mod > 0) text += fmt::format("%{}", d.mod);
    if (!layout.strides.empty()) text += fmt::format(":{}", layout.strides[k]);
  }
  if (layout.fill != 0) text += fmt::format(" fill {}", layout.fill);
  return text;
}

Result<Layout> ParseLayout(const std::string& text, int rank) {
  Layout layout;
  const char* p = text.data();
  const char* const end = p + text.size();
  auto spaces = [&] {
    while (p < end && *p == ' ') ++p;
  };
  auto number = [&](int64_t* value) {
    auto [next, error] = std::from_chars(p, end, *value);
    if (error != std::errc()) return false;
    p = next;
    spaces();
    return true;
  };
  auto bad = [&](const char* why) {
    return Fail(Code::kInvalidArgument, "layout '{}': {} at column {}", text, why,
                p - text.data() + 1);
  };
  spaces();
  size_t pieces = 0, strides = 0;  // in the text
  while (p < end) {
    int64_t dim = 0, div = 1, mod = 0, before = 0, after = 0, stride = 0;
    if (!number(&dim)) return bad("a dimension number is expected");
    const bool halo = p < end && *p == '+';
    if (halo) {  // extents of the halo before and after the dimension
      before = dim;
      ++p;
      if (!number(&dim) || p == end || *p != '+' || (++p, !number(&after)))
        return bad("BEFORE+DIMENSION+AFTER is expected");
      if (before < 0 || after < 0 || before > kMostHalo || after > kMostHalo)
        return bad("a halo of 0 to 65536 is expected");
    }
    if (dim < 0 || dim >= rank) return bad("no such dimension");
    if (halo && p < end && (*p == '/' || *p == '%')) return bad("a halo is of a whole dimension");
    if (p < end && *p == '/' && (++p, !number(&div) || div < 1 || div > kMostBlock))
      return bad("a divisor of 1 to 2^31 is expected");
    if (p < end && *p == '%' && (++p, !number(&mod) || mod < 1 || mod > kMostBlock))
      return bad("a modulus of 1 to 2^31 is expected");
    const bool strided = p < end && *p == ':';
    if (strided && (++p, !number(&stride) || stride < 0 || stride > kMostBlock))
      return bad("a stride of 0 to 2^31 is expected");
    ++pieces, strides += strided ? 1 : 0;
    if (mod != 1) layout.dims.push_back({static_cast<int>(dim), div, mod, before, after});
    if (mod != 1 && strided) layout.strides.push_back(stride);
    if (p < end && *p == ',') {
      ++p;
      spaces();
      continue;
    }
    break;
  }
  if (strides > 0 && strides < pieces)
    return bad("a stride behind each piece, or none, is expected");
  if (end - p >= 5 && std::string_view(p, 5) == "fill ") {
    p += 5;
    spaces();
    if (!number(&layout.fill)) return bad("a fill value is expected");
  }
  if (p != end) return bad("unexpected text");
  TESSERA_TRY(RequireBijection(layout, text, rank));
  return layout;
}

Layout BlockedLayout(int rank, int dim, int64_t block, int64_t fill) {
  Layout layout;
  for (int d = 0; d < rank; ++d) layout.dims.push_back({d, d == dim ? block : 1, 0});
  layout.dims.push_back({dim, 1, block});
  layout.fill = fill;
  return layout;
}

}  // namespace tessera::ir
