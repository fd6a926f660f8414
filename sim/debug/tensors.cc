// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/tensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "isa/access.h"
#include "runtime/artifact/tap.h"
#include "sim/debug/names.h"

namespace tessera::sim {
namespace {

constexpr int64_t kPrinted = 4096;  // most elements printed at once

// Whether the STORE |insn| touches bytes [begin, end) of the arena.
bool Touches(const isa::Store& insn, const isa::Config& config, int64_t begin, int64_t end) {
  for (const isa::Access& access : isa::Accesses(isa::Insn(insn), config)) {
    if (!access.write || !access.space.is_segment()) continue;
    const auto segment = static_cast<isa::Segment>(access.space.segment());
    if (std::ranges::count(isa::kArenaSegments, segment) == 0) continue;
    for (const isa::AddressRange& range : access.intervals) {
      if (range.begin < end && begin < range.end) return true;
    }
  }
  return false;
}

template <typename T>
double ValueAs(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

// Element |at| as a number; a float16 as the number of its bits.
double NumberAt(const HostTensor& tensor, int64_t at) {
  const uint8_t* bytes = tensor.bytes.data() + at * SizeOf(tensor.dtype);
  switch (tensor.dtype) {
    case DType::kBool:
    case DType::kUint8:
      return ValueAs<uint8_t>(bytes);
    case DType::kInt8:
      return ValueAs<int8_t>(bytes);
    case DType::kInt16:
      return ValueAs<int16_t>(bytes);
    case DType::kInt32:
      return ValueAs<int32_t>(bytes);
    case DType::kInt64:
      return ValueAs<int64_t>(bytes);
    case DType::kFloat32:
      return ValueAs<float>(bytes);
    case DType::kFloat16:
      return ValueAs<uint16_t>(bytes);
  }
  return 0;
}

// The indices of element |at| of a row-major array.
std::vector<int64_t> IndexOf(int64_t at, const std::vector<int64_t>& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; at /= shape[d]) index[d] = at % shape[d];
  return index;
}

}  // namespace

TensorStores StoresOf(const DebugTarget& target, const DebugTensor& tensor) {
  TensorStores stores;
  const auto begin = static_cast<int64_t>(tensor.offset);
  const auto end = begin + static_cast<int64_t>(tensor.bytes);
  for (uint32_t p = 0; p < target.programs.size(); ++p) {
    const ProgramText text(*target.programs[p], target.config);
    for (uint32_t n = 0; n < target.programs[p]->insn_count(); ++n) {
      const auto fetched = text.Decode(n);
      const auto* insn = fetched ? std::get_if<isa::Insn>(&fetched->insn) : nullptr;
      const auto* store = insn ? std::get_if<isa::Store>(insn) : nullptr;
      if (store == nullptr || !Touches(*store, target.config, begin, end)) continue;
      (text.LayerOf(n) == tensor.layer ? stores.own : stores.others).push_back({p, n});
    }
  }
  // The tensor is the output of another layer under another name.
  if (stores.own.empty()) stores.own.swap(stores.others);
  return stores;
}

std::vector<std::string> TensorNames(const DebugTarget& target) {
  std::vector<std::string> names;
  for (const DebugTensor& tensor : target.tensors) names.push_back(target.layers[tensor.layer]);
  return names;
}

Result<const DebugTensor*> FindTensor(const DebugTarget& target, const std::string& name) {
  if (target.tensors.empty()) {
    return Fail(Code::kNotFound,
                "a program image has no tensors, only segments; x SEGMENT+OFFSET COUNT shows them");
  }
  TESSERA_ASSIGN(const size_t at, FindNamed("tensor", name, TensorNames(target)));
  const DebugTensor& tensor = target.tensors[at];
  if (!tensor.absent.empty()) {
    return Fail(Code::kNotFound, "tensor {} {}", target.layers[tensor.layer], tensor.absent);
  }
  return &tensor;
}

TensorState StateOf(const DebugTarget& target, const DebugTensor& tensor, uint32_t program,
                    const RunProgress& progress) {
  const TensorStores stores = StoresOf(target, tensor);
  const auto done = [&](const InsnPlace& place) {
    return place.program < program || (place.program == program && progress.Retired(place.insn));
  };
  const auto count = std::ranges::count_if(stores.own, done);
  const auto all = static_cast<int64_t>(stores.own.size());
  if (count < all)
    return {false,
            fmt::format("not complete: {} of {} STOREs that write it have retired", count, all)};
  const InsnPlace last = stores.own.empty() ? InsnPlace() : stores.own.back();
  for (const InsnPlace& place : stores.others) {
    const bool later =
        place.program > last.program || (place.program == last.program && place.insn > last.insn);
    const bool taken =
        place.program < program || (place.program == program && progress.Taken(place.insn));
    if (later && taken) {
      return {false, fmt::format("overwritten: its memory is used again, by instruction {} of "
                                 "program {}",
                                 place.insn, place.program)};
    }
  }
  return {true, fmt::format("complete: its {} STOREs have retired", all)};
}

HostTensor ValueOf(const DebugTensor& tensor, const RunProgress& progress) {
  uint64_t arena = 0;
  for (const isa::Segment segment : isa::kArenaSegments) {
    const SegmentBinding& binding = progress.launch().segments[static_cast<size_t>(segment)];
    if (binding.size != 0) arena = binding.base;
  }
  const std::span<const uint8_t> memory = progress.view().DeviceMemory();
  return artifact::UnpackTap(
      tensor.info, tensor.layout,
      memory.subspan(arena + tensor.offset, artifact::BytesInLayout(tensor.info, tensor.layout)));
}

Result<std::string> TensorText(const std::string& name, const HostTensor& tensor,
                               const std::vector<std::string>& ranges) {
  const size_t rank = tensor.shape.size();
  if (ranges.size() > rank) {
    return Fail(Code::kInvalidArgument, "{}: {} ranges, it has {} dimensions: {}", name,
                ranges.size(), rank, ShapeText(tensor.shape));
  }
  std::vector<IndexRange> wanted;
  int64_t count = 1;
  for (size_t d = 0; d < rank; ++d) {
    TESSERA_ASSIGN(const IndexRange range,
                   RangeOf(fmt::format("dimension {} of {}", d, name),
                           d < ranges.size() ? ranges[d] : ":", tensor.shape[d]));
    wanted.push_back(range);
    count *= range.count;
  }
  if (count > kPrinted) {
    return Fail(Code::kOutOfRange,
                "{}: {} elements of {} are wanted, {} are printed at once; give a range a "
                "dimension, FIRST, FIRST:COUNT or :, as in 0,3:2,:",
                name, count, ShapeText(tensor.shape), kPrinted);
  }
  std::string text;
  size_t width = 1;
  std::vector<std::string> numbers;
  std::vector<std::vector<int64_t>> places;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    const std::vector<int64_t> index = IndexOf(i, tensor.shape);
    bool inside = true;
    for (size_t d = 0; d < rank; ++d)
      inside =
          inside && index[d] >= wanted[d].first && index[d] < wanted[d].first + wanted[d].count;
    if (!inside) continue;
    numbers.push_back(fmt::format("{}", NumberAt(tensor, i)));
    places.push_back(index);
    width = std::max(width, numbers.back().size());
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (rank != 0 && places[i].back() == wanted.back().first) {
      if (i != 0) text += "\n";
      places[i].pop_back();
      const IndexRange row = wanted.back();
      text += fmt::format("[{}{}{}:{}]", fmt::join(places[i], ", "), rank > 1 ? ", " : "",
                          row.first, row.count);
    }
    text += fmt::format(" {:>{}}", numbers[i], width);
  }
  return text + "\n";
}

TensorDiff DiffTensors(const HostTensor& ours, const HostTensor& host, const std::string& device) {
  if (ours.dtype != host.dtype || ours.shape != host.shape) {
    return {false, fmt::format("{} has {} {}, the host {} {}", device, Text(ours.dtype),
                               ShapeText(ours.shape), Text(host.dtype), ShapeText(host.shape))};
  }
  const auto size = SizeOf(ours.dtype);
  int64_t different = 0, first = -1;
  double most = 0;
  for (int64_t i = 0; i < ours.count(); ++i) {
    if (std::memcmp(&ours.bytes[i * size], &host.bytes[i * size], size) == 0) continue;
    if (different++ == 0) first = i;
    most = std::max(most, std::abs(NumberAt(ours, i) - NumberAt(host, i)));
  }
  if (different == 0) return {true, fmt::format("all {} values are the host's", ours.count())};
  return {false,
          fmt::format("{} of {} values differ from the host's; the first at {}: {} {}, host {}; "
                      "the largest difference is {}",
                      different, ours.count(), ShapeText(IndexOf(first, ours.shape)), device,
                      NumberAt(ours, first), NumberAt(host, first), most)};
}

}  // namespace tessera::sim
