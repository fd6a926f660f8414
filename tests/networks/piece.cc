// SPDX-License-Identifier: Apache-2.0
#include "tests/networks/piece.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace tessera::networks {
namespace {

using Bytes = std::vector<uint8_t>;

// The image of "x.image2", a slice or a product of one image: 2.
std::optional<size_t> ImageOf(const std::string& name) {
  constexpr std::string_view kMark = ".image";
  const size_t at = name.find(kMark);
  if (at == std::string::npos) return std::nullopt;
  return std::stoul(name.substr(at + kMark.size()));
}
// The bytes of image |image| in |all|; an image has |size| bytes.
Bytes Share(const Bytes& all, size_t image, size_t size) {
  if ((image + 1) * size > all.size()) return {};
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(image * size);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

// Takes the mark of a part of a shared layer off |name|: whether it has the first channels or rows.
std::optional<bool> TakeShared(std::string* name) {
  for (const auto& [mark, first] : {std::pair{".accelerator", true}, std::pair{".host", false}}) {
    if (!name->ends_with(mark)) continue;
    name->resize(name->size() - std::string_view(mark).size());
    return first;
  }
  return std::nullopt;
}
// Of each of |count| equal pieces of |all| the |first| or the last bytes, |has| of them.
Bytes EndsOf(const Bytes& all, bool first, size_t count, size_t has) {
  const size_t size = all.size() / count;
  Bytes values;
  for (size_t n = 0; n < count && has <= size; ++n) {
    const auto begin =
        all.begin() + static_cast<std::ptrdiff_t>(n * size + (first ? 0 : size - has));
    values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(has));
  }
  return values;
}
// Takes |mark| and the number behind it off the end of |name|: of "x.part1", the copy of an operand
// of concatenation x, "x.phase2", a phase of the transposed convolution that makes x, "x.row1", its
// phases of a row as channels, or "x.columns8", with 8 columns of x as channels.
std::optional<size_t> TakeMark(std::string_view mark, std::string* name) {
  for (size_t at = name->find(mark); at != std::string::npos; at = name->find(mark, at + 1)) {
    const std::string rest = name->substr(at + mark.size());
    if (rest.empty() || rest[0] < '0' || rest[0] > '9') continue;
    name->resize(at);
    return std::stoul(rest);
  }
  return std::nullopt;
}
// The node that makes the tensor |name|.
const graph::Node& MakerOf(const graph::Graph& graph, const std::string& name) {
  return *std::ranges::find_if(
      graph.nodes, [&](const graph::Node& node) { return graph.tensor(node.output).name == name; });
}
// The transposed convolution that makes the tensor |name|, or operand |part| of its concatenation.
const graph::Node& TransposedOf(const graph::Graph& graph, const std::string& name,
                                std::optional<size_t> part) {
  const graph::Node* node = &MakerOf(graph, name);
  if (part) node = &MakerOf(graph, graph.tensor(node->inputs[*part]).name);
  // Functions of one value may stand behind the convolution.
  while (node->op != graph::Op::kTransposedConv)
    node = &MakerOf(graph, graph.tensor(node->inputs[0]).name);
  return *node;
}
// The values of phase |phase| in |all|, the result of |node| or one image of it.
Bytes PhaseOf(const graph::Graph& graph, const graph::Node& node, size_t phase, const Bytes& all) {
  const std::vector<int64_t>& shape = graph.tensor(node.output).shape;
  const auto [rows, columns] = node.As<graph::TransposedConvAttributes>().window.stride;
  const int64_t first_row = static_cast<int64_t>(phase) / columns,
                first_column = static_cast<int64_t>(phase) % columns;
  Bytes values;
  for (int64_t plane = 0; plane < std::ssize(all); plane += shape[2] * shape[3]) {
    for (int64_t y = first_row; y < shape[2]; y += rows) {
      for (int64_t x = first_column; x < shape[3]; x += columns)
        values.push_back(all[static_cast<size_t>(plane + y * shape[3] + x)]);
    }
  }
  return values;
}
// The phases of row |row| in |all|, the result of |node| or one image of it, as channels.
Bytes RowOf(const graph::Graph& graph, const graph::Node& node, size_t row, const Bytes& all) {
  const std::vector<int64_t>& shape = graph.tensor(node.output).shape;
  const auto image = static_cast<size_t>(shape[1] * shape[2] * shape[3]);
  const auto columns =
      static_cast<size_t>(node.As<graph::TransposedConvAttributes>().window.stride[1]);
  Bytes values;
  for (size_t n = 0; n < all.size() / image; ++n) {
    for (size_t column = 0; column < columns; ++column) {
      const Bytes phase = PhaseOf(graph, node, row * columns + column, Share(all, n, image));
      values.insert(values.end(), phase.begin(), phase.end());
    }
  }
  return values;
}
// |all|, the tensor |name| or one image of it, with |columns| neighbouring columns as channels.
Bytes ColumnsOf(const graph::Graph& graph, const std::string& name, size_t columns,
                const Bytes& all) {
  const std::vector<int64_t>& shape = graph.tensor(MakerOf(graph, name).output).shape;
  const auto image = static_cast<size_t>(shape[1] * shape[2] * shape[3]);
  Bytes values;
  for (size_t first = 0; first < all.size(); first += image) {
    for (size_t column = 0; column < columns; ++column) {
      for (size_t at = column; at < image; at += columns) values.push_back(all[first + at]);
    }
  }
  return values;
}
// The values of operand |part| in |joined|, the result of the concatenation |name| of |graph|, or
// one image of it.
Bytes PartOf(const graph::Graph& graph, const std::string& name, size_t part, const Bytes& joined) {
  const graph::Node& node = MakerOf(graph, name);
  const auto axis = static_cast<size_t>(node.As<graph::ConcatAttributes>().axis);
  const std::vector<int64_t>& shape = graph.tensor(node.output).shape;
  int64_t inner = 1, first = 0;
  for (size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  const auto extent = [&](size_t k) { return graph.tensor(node.inputs[k]).shape[axis]; };
  for (size_t k = 0; k < part; ++k) first += extent(k);
  Bytes values;
  for (int64_t at = first * inner; at < std::ssize(joined); at += shape[axis] * inner) {
    const auto begin = joined.begin() + at;
    values.insert(values.end(), begin, begin + extent(part) * inner);
  }
  return values;
}

// What |got| should be, which has the channels of |want| in any order and perhaps others: |want| if
// it lacks one, otherwise itself. |part|: it has some of them, and no others.
Bytes InOrderOf(const Bytes& want, const HostTensor& got, bool part) {
  const auto images = static_cast<size_t>(got.shape[0]);
  const size_t size = got.bytes.size() / images / static_cast<size_t>(got.shape[1]);
  const auto has = [&](const Bytes& of, const Bytes& channels, size_t n) {
    std::set<Bytes> known;
    const auto add = [&](const Bytes& from, const auto& use) {
      const size_t each = from.size() / images;
      for (size_t at = n * each; at < (n + 1) * each; at += size)
        use(Bytes(from.begin() + static_cast<std::ptrdiff_t>(at),
                  from.begin() + static_cast<std::ptrdiff_t>(at + size)));
    };
    add(of, [&](Bytes channel) { known.insert(std::move(channel)); });
    bool in = true;
    add(channels, [&](const Bytes& channel) { in = in && known.contains(channel); });
    return in;
  };
  for (size_t n = 0; n < images; ++n) {
    if (part ? !has(want, got.bytes, n) : !has(got.bytes, want, n)) return want;
  }
  return got.bytes;
}

}  // namespace

Piece::Piece(std::string name) : of_(std::move(name)) {
  constexpr std::string_view kArranged = ".arranged";
  arranged_ = of_.ends_with(kArranged);
  if (arranged_) of_.resize(of_.size() - kArranged.size());
  first_ = TakeShared(&of_);
  const auto take_moved = [&] {
    for (const std::string_view mark : {".ordered", ".blocks"}) {
      while (of_.ends_with(mark)) {
        moved_ = true;
        of_.resize(of_.size() - mark.size());
      }
    }
  };
  take_moved();
  phase_ = TakeMark(".phase", &of_);
  row_ = TakeMark(".row", &of_);
  part_ = TakeMark(".part", &of_);
  columns_ = TakeMark(".columns", &of_);
  image_ = ImageOf(of_);
  take_moved();
  moved_part_ = TakeMark(".channels", &of_);
  moved_ = moved_ || moved_part_;
  for (const char* view :
       {".image", ".rank4", ".merged", ".copy", ".taken"})  // views of the same values
    of_.resize(std::min(of_.find(view), of_.size()));
}

size_t Piece::ChannelsIn(const graph::Graph& graph) const {
  const graph::Node& node = MakerOf(graph, of_);
  const std::optional<size_t> operand = moved_part_ ? moved_part_ : part_;
  const auto& shape = graph.tensor(operand ? node.inputs[*operand] : node.output).shape;
  return static_cast<size_t>(shape.size() < 2 ? 1 : shape[1]) * columns_.value_or(1);
}

Bytes Piece::ValuesIn(const graph::Graph& graph, const Bytes& whole, const HostTensor& got) const {
  if (arranged_) {
    const auto sorted = [](Bytes bytes) {
      std::ranges::sort(bytes);
      return bytes;
    };
    return sorted(whole) == sorted(got.bytes) ? got.bytes : whole;
  }
  Bytes values = part_ ? PartOf(graph, of_, *part_, whole) : whole;
  if (phase_) values = PhaseOf(graph, TransposedOf(graph, of_, part_), *phase_, values);
  if (row_) values = RowOf(graph, TransposedOf(graph, of_, part_), *row_, values);
  if (columns_) values = ColumnsOf(graph, of_, *columns_, values);
  if (image_) values = Share(values, *image_, got.bytes.size());
  if (moved_part_) values = PartOf(graph, of_, *moved_part_, values);
  if (!first_) return moved_ ? InOrderOf(values, got, false) : values;
  const auto images = static_cast<size_t>(got.shape[0]);
  const size_t planes = images * ChannelsIn(graph);
  const size_t plane = got.bytes.size() / images / static_cast<size_t>(got.shape[1]);
  const bool rows = got.shape.size() == 4 && planes * plane < values.size();
  if (rows) values = EndsOf(values, *first_, planes, plane);
  if (moved_) return InOrderOf(values, got, !rows);
  return rows ? values : EndsOf(values, *first_, images, got.bytes.size() / images);
}

}  // namespace tessera::networks
