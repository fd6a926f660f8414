// SPDX-License-Identifier: Apache-2.0
#include "compiler/validate/machine_run.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/check.h"
#include "isa/encoding.h"
#include "isa/memories.h"

namespace tessera::validate {

using isa::Memory;
using isa::Segment;
using isa::Unit;

namespace {

bool InArena(int64_t segment) {
  return segment == static_cast<int64_t>(Segment::kArena) ||
         segment == static_cast<int64_t>(Segment::kInput);
}

Memory MemoryOf(int64_t vector_memory) {
  switch (static_cast<isa::VectorMemory>(vector_memory)) {
    case isa::VectorMemory::kOut:
      return Memory::kOut;
    case isa::VectorMemory::kInp:
      return Memory::kInp;
    default:
      return Memory::kAcc;
  }
}

// The numbers in a record of PRM as one symbol: for each field, those of all channels.
Symbol RecordSymbol(std::span<const uint8_t> bytes, int64_t channels) {
  std::vector<uint8_t> numbers;
  for (const isa::RecordField& field : isa::kRecordFields) {
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t at = isa::RecordOffset(field) * channels + c * field.bytes;
      uint32_t number = 0;
      std::memcpy(&number, &bytes[static_cast<size_t>(at)], static_cast<size_t>(field.bytes));
      const int unused = 32 - field.bits;
      const auto value =
          field.kind == isa::FieldKind::kSigned
              ? static_cast<uint32_t>(static_cast<int32_t>(number << unused) >> unused)
              : number << unused >> unused;
      for (int b = 0; b < 4; ++b) numbers.push_back(static_cast<uint8_t>(value >> (8 * b)));
    }
  }
  return Bytes(numbers);
}

}  // namespace

int64_t GrainOf(const isa::InsnStream& program, const isa::Config& config, int64_t align) {
  int64_t grain = align;
  for (const isa::Fetched& fetched : program) {
    const auto* insn = std::get_if<isa::Insn>(&fetched.insn);
    if (insn == nullptr) continue;
    const isa::InsnNest nest = isa::NestOf(*insn, config);
    for (const isa::NestOperand& o : nest.operands()) {
      if (!o.space.is_segment() || !InArena(o.space.segment())) continue;
      grain = std::gcd(grain, std::gcd(o.base, o.extent));
      for (int l = 0; l < nest.loop_count; ++l) {
        if (nest.CountFor(o, l) > 1) grain = std::gcd(grain, o.strides[static_cast<size_t>(l)]);
      }
    }
  }
  return std::max<int64_t>(grain, 1);
}

MachineRun::MachineRun(const isa::ProgramImage& image, const isa::InsnStream& program,
                       const isa::Config& config, int64_t grain, std::vector<Symbol> arena,
                       MachineListener* listener)
    : image_(image),
      program_(program),
      config_(config),
      grain_(grain),
      listener_(listener),
      uops_(static_cast<size_t>(config.Depth(Memory::kUop))),
      arena_(std::move(arena)) {
  for (const isa::MemoryRow& row : isa::kMemoryRows) {
    if (row.lies_in || row.memory == Memory::kUop) continue;
    std::vector<SymbolCell>& cells = CellsOf(row.memory);
    cells.resize(static_cast<size_t>(config.Depth(row.memory)));
    for (size_t t = 0; t < cells.size(); ++t)
      cells[t].value = Unwritten((static_cast<uint64_t>(row.memory) + 1) << 40 | t);
  }
}

Status MachineRun::Run(const UnitOrder& order) {
  std::array<std::vector<uint32_t>, isa::kUnits> queue;
  for (uint32_t n = 0; n < program_.size(); ++n) {
    if (!program_[n].finish) queue[static_cast<size_t>(program_[n].unit)].push_back(n);
  }
  std::array<size_t, isa::kUnits> next{};
  std::array<std::array<int64_t, isa::kUnits>, isa::kUnits> tokens{};  // [from][to]
  const auto can = [&](size_t unit) {
    if (next[unit] == queue[unit].size()) return false;
    const uint8_t pop = program_[queue[unit][next[unit]]].pop;
    for (size_t from = 0; from < isa::kUnits; ++from) {
      if ((pop >> from & 1) != 0 && tokens[from][unit] == 0) return false;
    }
    return true;
  };
  while (true) {
    const auto unit =
        std::ranges::find_if(order, [&](Unit u) { return can(static_cast<size_t>(u)); });
    if (unit == order.end()) break;
    const auto u = static_cast<size_t>(*unit);
    const uint32_t number = queue[u][next[u]++];
    for (size_t v = 0; v < isa::kUnits; ++v) {
      tokens[v][u] -= program_[number].pop >> v & 1;
      tokens[u][v] += program_[number].push >> v & 1;
    }
    TESSERA_TRY(Execute(number));
  }
  for (size_t u = 0; u < isa::kUnits; ++u) {
    if (next[u] != queue[u].size())
      return Fail(Code::kDeadlock, "{} never starts", program_.Name(queue[u][next[u]]));
  }
  return {};
}

Status MachineRun::Execute(uint32_t number) {
  number_ = number;
  const auto* insn = std::get_if<isa::Insn>(&program_[number].insn);
  if (insn == nullptr) return Fail(Code::kUnsupported, "a program of profile vta");
  std::visit(
      [&]<typename T>(const T& i) {
        if constexpr (std::is_same_v<T, isa::Load>) Load(i);
        if constexpr (std::is_same_v<T, isa::Store>) Store(i);
        if constexpr (std::is_same_v<T, isa::Gemm>) Gemm(i);
        if constexpr (std::is_same_v<T, isa::Depthwise>) Depthwise(i);
        if constexpr (std::is_same_v<T, isa::Requant>) Requant(i);
        if constexpr (std::is_same_v<T, isa::Add>) Add(i);
        if constexpr (std::is_same_v<T, isa::Alu>) Alu(i);
      },
      *insn);
  if (wrong_) return Within(program_.Name(number), *wrong_);
  return {};
}

SymbolCell& MachineRun::Nowhere(Memory memory, int64_t tile) {
  static SymbolCell nowhere;
  if (!wrong_) {
    wrong_ =
        Error(Code::kOutOfRange, fmt::format("{} tile {} of {}", isa::Text(isa::Space::Of(memory)),
                                             tile, CellsOf(memory).size()));
  }
  return nowhere;
}

void MachineRun::Tell(MachinePlace place, Symbol result) {
  if (listener_ == nullptr) return;
  listener_->Made(number_, place, result, std::span(reads_).first(read_));
  read_ = 0;
}

void MachineRun::Write(Memory memory, int64_t tile, Symbol symbol) {
  At(memory, tile) = {symbol};
  ++steps_;
  Tell({isa::Space::Of(memory), tile}, symbol);
}

void MachineRun::Finish(Memory memory, int64_t tile, Symbol result, std::optional<Symbol> table) {
  if (!table) return Write(memory, tile, result);
  if (listener_ != nullptr && read_ < reads_.size())
    reads_[read_++] = {{isa::Space::Of(Memory::kTab), 0}, *table};
  Write(memory, tile, LookedUp(result, *table));
}

void MachineRun::Sum(int64_t tile, bool first, Operation operation, Symbol term) {
  SymbolCell& cell = At(Memory::kAcc, tile);
  ++steps_;
  if (first || operation == AluSum(static_cast<int64_t>(isa::AluOp::kMov))) {
    cell.Begin(operation);
  } else if (listener_ != nullptr && read_ < reads_.size()) {
    reads_[read_++] = {{isa::Space::Of(Memory::kAcc), tile}, cell.symbol()};
  }
  cell.Append(operation, term);
  if (listener_ != nullptr) Tell({isa::Space::Of(Memory::kAcc), tile}, cell.symbol());
}

void MachineRun::LoadUops(const isa::Load& insn) {
  const std::vector<uint8_t>& data = image_.segments[static_cast<size_t>(insn.segment)].data;
  int64_t tile = insn.sram_base;
  for (int64_t z = 0; z < insn.z_size; ++z) {
    for (int64_t y = 0; y < insn.y_size; ++y) {
      for (int64_t x = 0; x < insn.x_size; ++x, ++tile) {
        const int64_t at = insn.dram_base + z * insn.z_step + y * insn.y_step + x * insn.x_step;
        uint64_t word = 0;
        if (at + 8 > std::ssize(data) || tile >= std::ssize(uops_)) {
          wrong_ = Error(Code::kOutOfRange, "micro-ops that are not there");
          return;
        }
        std::memcpy(&word, &data[static_cast<size_t>(at)], 8);
        const Result<isa::Uop> uop = isa::DecodeUop(word);
        if (!uop) {
          wrong_ = uop.error();
          return;
        }
        uops_[static_cast<size_t>(tile)] = *uop;
      }
    }
  }
}

Symbol MachineRun::LoadedFrom(const isa::Load& insn, int64_t offset) {
  const auto at = static_cast<size_t>(offset), count = static_cast<size_t>(insn.x_bytes);
  if (InArena(insn.segment)) {
    const auto grain = static_cast<size_t>(grain_);
    if (at + count > arena_.size() * grain) {
      wrong_ = Error(Code::kOutOfRange, fmt::format("byte {} of the arena", offset));
      return 0;
    }
    const std::span<const Symbol> pieces = std::span(arena_).subspan(at / grain, count / grain);
    const Symbol tile = LoadedTile(pieces);
    if (listener_ != nullptr)
      reads_[read_++] = {{isa::Space::OfSegment(static_cast<int64_t>(Segment::kArena)), offset},
                         pieces[0]};
    return tile;
  }
  const std::vector<uint8_t>& data = image_.segments[static_cast<size_t>(insn.segment)].data;
  if (at + count > data.size()) {
    wrong_ = Error(Code::kOutOfRange, fmt::format("byte {} of segment {}", offset, insn.segment));
    return 0;
  }
  const std::span<const uint8_t> bytes = std::span(data).subspan(at, count);
  return static_cast<Memory>(insn.memory) == Memory::kPrm ? RecordSymbol(bytes, config_.block_out)
                                                          : Bytes(bytes);
}

void MachineRun::Load(const isa::Load& insn) {
  const auto memory = static_cast<Memory>(insn.memory);
  if (memory == Memory::kUop) return LoadUops(insn);
  if (CellsOf(memory).empty() || memory == Memory::kAcc) {
    wrong_ = Error(Code::kUnsupported, "a load of a memory that programs do not load");
    return;
  }
  const int64_t columns = insn.x_pad_0 + insn.x_size + insn.x_pad_1,
                rows = insn.y_pad_0 + insn.y_size + insn.y_pad_1;
  int64_t tile = insn.sram_base;
  for (int64_t z = 0; z < insn.z_size; ++z) {
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column, ++tile) {
        const int64_t y = row - insn.y_pad_0, x = column - insn.x_pad_0;
        const bool inside = y >= 0 && y < insn.y_size && x >= 0 && x < insn.x_size;
        const int64_t offset = insn.dram_base + z * insn.z_step + y * insn.y_step + x * insn.x_step;
        Write(memory, tile, inside ? LoadedFrom(insn, offset) : Pad(insn.pad_value));
        if (wrong_) return;
      }
    }
  }
}

void MachineRun::Store(const isa::Store& insn) {
  if (!InArena(insn.segment)) {
    wrong_ = Error(Code::kUnsupported, "a store outside of the arena");
    return;
  }
  int64_t tile = insn.sram_base;
  for (int64_t z = 0; z < insn.z_size; ++z) {
    for (int64_t y = 0; y < insn.y_size; ++y) {
      for (int64_t x = 0; x < insn.x_size; ++x, ++tile) {
        const int64_t offset = insn.dram_base + z * insn.z_step + y * insn.y_step + x * insn.x_step;
        const int64_t first = offset / grain_, count = insn.x_bytes / grain_;
        if (first + count > std::ssize(arena_)) {
          wrong_ = Error(Code::kOutOfRange, fmt::format("byte {} of the arena", offset));
          return;
        }
        const Symbol symbol = At(Memory::kOut, tile).symbol();
        for (int64_t k = 0; k < count; ++k) {
          Symbol& piece = arena_[static_cast<size_t>(first + k)];
          piece = StoredPiece(symbol, static_cast<uint64_t>(k));
          if (listener_ == nullptr) continue;
          reads_[read_++] = {{isa::Space::Of(Memory::kOut), tile}, symbol};
          Tell({isa::Space::OfSegment(static_cast<int64_t>(Segment::kArena)), offset + k * grain_},
               piece);
        }
        ++steps_;
      }
    }
  }
}

void MachineRun::Gemm(const isa::Gemm& insn) {
  if (insn.uop_begin + insn.uop_count > std::ssize(uops_)) {
    wrong_ = Error(Code::kOutOfRange, "micro-ops past UOP");
    return;
  }
  const std::span<const isa::Uop> uops = std::span(uops_).subspan(
      static_cast<size_t>(insn.uop_begin), static_cast<size_t>(insn.uop_count));
  for (int64_t o = 0; o < insn.iter_out; ++o) {
    for (int64_t i = 0; i < insn.iter_in; ++i) {
      const int64_t dst = insn.dst_base + o * insn.dst_out + i * insn.dst_in,
                    src = insn.src_base + o * insn.src_out + i * insn.src_in,
                    wgt = insn.wgt_base + o * insn.wgt_out + i * insn.wgt_in;
      for (const isa::Uop& uop : uops) {
        const Symbol a = Read(Memory::kInp, src + uop.src), b = Read(Memory::kWgt, wgt + uop.wgt);
        Sum(dst + uop.dst, uop.init != 0, Operation::kProduct, ProductTerm(a, b));
      }
    }
  }
}

void MachineRun::Depthwise(const isa::Depthwise& insn) {
  const int64_t taps = config_.depthwise_taps();
  for (int64_t z = 0; z < insn.iter_z; ++z) {
    for (int64_t o = 0; o < insn.iter_out; ++o) {
      for (int64_t i = 0; i < insn.iter_in; ++i) {
        Symbol term = 0;
        for (int64_t t = 0; t < insn.kh * insn.kw; ++t) {
          const int64_t src = insn.src_base + z * insn.src_z + o * insn.src_out + i * insn.src_in +
                              t / insn.kw * insn.win_y + t % insn.kw * insn.win_x;
          read_ = 0;
          const Symbol a = Read(Memory::kInp, src),
                       b = Read(Memory::kWgt, insn.wgt_base + z * insn.wgt_z + t / taps);
          term += TapTerm(a, b, t % taps);
        }
        Sum(insn.dst_base + z * insn.dst_z + o * insn.dst_out + i * insn.dst_in, insn.init != 0,
            Operation::kProduct, term);
      }
    }
  }
}

void MachineRun::Requant(const isa::Requant& insn) {
  const Memory from = MemoryOf(insn.src_mem), to = MemoryOf(insn.dst_mem);
  const bool wide = to == Memory::kAcc, summed = from == Memory::kAcc;
  const Symbol numbers =
      Join({insn.per_tensor ? insn.multiplier : 0, insn.per_tensor ? insn.shift : 0, insn.round,
            summed ? 0 : insn.src_zero, summed ? 0 : insn.src_shift, wide ? 0 : insn.out_zero,
            wide ? 0 : insn.lo, wide ? 0 : insn.hi, wide, summed});
  if (insn.clear != 0) {
    wrong_ = Error(Code::kUnsupported, "a source that is cleared");
    return;
  }
  std::optional<Symbol> table;
  if (insn.table != 0) table = TableSymbol(CellsOf(Memory::kTab));
  for (int64_t o = 0; o < insn.iter_out; ++o) {
    for (int64_t i = 0; i < insn.iter_in; ++i) {
      const Symbol src = Read(from, insn.src_base + o * insn.src_out + i * insn.src_in);
      const int64_t dst = insn.dst_base + o * insn.dst_out + i * insn.dst_in;
      if (insn.per_tensor != 0) {
        Finish(to, dst, Requantised(src, numbers), table);
      } else {
        const Symbol record =
            Read(Memory::kPrm, insn.prm_base + o * insn.prm_out + i * insn.prm_in);
        Finish(to, dst, RequantisedBy(src, record, numbers), table);
      }
    }
  }
}

void MachineRun::Add(const isa::Add& insn) {
  const Memory to = MemoryOf(insn.dst_mem);
  const bool wide = to == Memory::kAcc;
  const Symbol numbers =
      Join({insn.multiplier, insn.shift, insn.round, insn.src_zero, insn.src_shift,
            wide ? 0 : insn.out_zero, wide ? 0 : insn.lo, wide ? 0 : insn.hi, wide, false});
  if (insn.clear != 0) {
    wrong_ = Error(Code::kUnsupported, "an accumulator that is cleared");
    return;
  }
  std::optional<Symbol> table;
  if (insn.table != 0) table = TableSymbol(CellsOf(Memory::kTab));
  for (int64_t o = 0; o < insn.iter_out; ++o) {
    for (int64_t i = 0; i < insn.iter_in; ++i) {
      const Symbol src = Read(MemoryOf(insn.src_mem),
                              insn.src_base + o * insn.src_out + i * insn.src_in),
                   acc = Read(Memory::kAcc, insn.acc_base + o * insn.dst_out + i * insn.dst_in);
      Finish(to, insn.dst_base + o * insn.dst_out + i * insn.dst_in, Added(src, acc, numbers),
             table);
    }
  }
}

void MachineRun::Alu(const isa::Alu& insn) {
  const bool number = static_cast<isa::VectorMemory>(insn.src_mem) == isa::VectorMemory::kImm;
  const Memory from = MemoryOf(insn.src_mem);
  const int64_t zero = from == Memory::kAcc ? 0 : insn.src_zero;
  for (int64_t o = 0; o < insn.iter_out; ++o) {
    for (int64_t i = 0; i < insn.iter_in; ++i) {
      for (int64_t ro = 0; ro < insn.red_out; ++ro) {
        for (int64_t ri = 0; ri < insn.red_in; ++ri) {
          const int64_t src = insn.src_base + o * insn.src_out + i * insn.src_in +
                              ro * insn.red_out_step + ri * insn.red_in_step;
          const Symbol term = number ? AluNumber(insn.imm) : AluTerm(Read(from, src), zero);
          const bool first = insn.init != 0 && ro == 0 && ri == 0;
          Sum(insn.dst_base + o * insn.dst_out + i * insn.dst_in, first, AluSum(insn.alu_op), term);
        }
      }
    }
  }
}

}  // namespace tessera::validate
