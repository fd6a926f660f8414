// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/gpu/ptx_run.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tests/runtime/gpu/ptx_alu.h"

namespace tessera::test {
namespace {

constexpr size_t kLanes = 32;

enum class Wait : uint8_t { kNone, kBarrier, kWarp, kEnded };

struct Thread {
  std::array<uint32_t, 6> special{};
  std::vector<uint64_t> registers;
  std::vector<uint8_t> local;
  uint32_t pc = 0;
  Wait wait = Wait::kNone;
};

class Group {
 public:
  Group(const PtxKernel& kernel, std::span<const uint64_t> args, const GlobalMemory& global,
        uint64_t* budget)
      : kernel_(kernel), args_(args), global_(global), budget_(*budget) {}

  Status Run(const std::array<uint32_t, 3>& id) {
    const auto& n = kernel_.threads;
    threads_.assign(size_t{n[0]} * n[1] * n[2], {});
    shared_.assign(kernel_.shared_bytes, 0xcd);  // stands for undefined contents
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      Thread& thread = threads_[t];
      thread.special = {t % n[0], t / n[0] % n[1], t / n[0] / n[1], id[0], id[1], id[2]};
      thread.registers.assign(kernel_.registers, 0xabababababababab);
      thread.local.assign(kernel_.local_bytes, 0xcd);
    }
    for (;;) {
      // The last warp runs first, so that a missing barrier shows.
      for (size_t first = (threads_.size() - 1) / kLanes * kLanes;; first -= kLanes) {
        TESSERA_TRY(
            RunWarp(std::span(threads_).subspan(first, std::min(kLanes, threads_.size() - first))));
        if (first == 0) break;
      }
      const auto ended = std::ranges::count(threads_, Wait::kEnded, &Thread::wait);
      if (ended == std::ssize(threads_)) return {};
      if (ended != 0)
        return Fail(Code::kDataLoss, "{} threads wait at a barrier for {} that have ended",
                    std::ssize(threads_) - ended, ended);
      for (Thread& t : threads_) t.wait = Wait::kNone;
    }
  }

 private:
  Status RunWarp(std::span<Thread> warp) {
    for (;;) {
      for (Thread& t : warp) {
        while (t.wait == Wait::kNone) TESSERA_TRY(Step(t));
      }
      const auto meet = std::ranges::count(warp, Wait::kWarp, &Thread::wait);
      if (meet == 0) return {};
      for (const Thread& t : warp) {
        if (t.wait == Wait::kWarp && t.pc == warp[0].pc && warp.size() == kLanes) continue;
        return Fail(Code::kDataLoss, "{} of {} threads of a warp are at '{}'", meet, warp.size(),
                    kernel_.code[warp[0].pc].text);
      }
      if (kernel_.code[warp[0].pc].op == PtxOp::kMma) {
        TESSERA_TRY(Mma(warp));
        continue;
      }
      for (Thread& t : warp) t.wait = Wait::kNone, ++t.pc;  // bar.warp.sync
    }
  }

  Status Mma(std::span<Thread> warp) {
    const PtxInsn& insn = kernel_.code[warp[0].pc];
    std::array<PtxLane, kLanes> lanes;
    for (size_t l = 0; l < kLanes; ++l) {
      for (size_t o = 0; o < insn.operands.size(); ++o)
        lanes[l].values[o] = Value(warp[l], insn.operands[o]);
    }
    TESSERA_TRY(PtxMma(insn, lanes));
    for (size_t l = 0; l < kLanes; ++l) {
      for (size_t o = 0; o < insn.counts[0]; ++o)
        warp[l].registers[insn.operands[o].index] = lanes[l].values[o];
      warp[l].wait = Wait::kNone;
      ++warp[l].pc;
    }
    return {};
  }

  static uint64_t Nanoseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
  }

  static uint64_t Value(const Thread& t, const PtxOperand& o) {
    switch (o.kind) {
      case PtxOperand::Kind::kRegister:
        return t.registers[o.index] + o.value;
      case PtxOperand::Kind::kSpecial:
        if (o.index == kPtxTimer) return Nanoseconds();
        return t.special[o.index];
      default:
        return o.value;
    }
  }

  // The |bytes| at |address| in shared, local or global memory.
  Result<uint8_t*> Place(Thread& t, uint64_t address, uint64_t bytes, const PtxInsn& insn) {
    if (address % bytes != 0)
      return Fail(Code::kInvalidArgument, "'{}': address {:#x} is no multiple of {}", insn.text,
                  address, bytes);
    uint8_t* at = nullptr;
    if (address >= kPtxShared) {
      std::vector<uint8_t>& own = address >= kPtxLocal ? t.local : shared_;
      const uint64_t offset = address & (kPtxShared - 1);
      if (offset + bytes <= own.size()) at = own.data() + offset;
    } else {
      at = global_(address, bytes);
    }
    if (at == nullptr)
      return Fail(Code::kOutOfRange, "'{}': {} bytes at {:#x} are in no memory", insn.text, bytes,
                  address);
    return at;
  }

  Status Access(Thread& t, const PtxInsn& insn) {
    const bool load = insn.op == PtxOp::kLd;
    const size_t count = insn.counts[load ? 0 : 1];
    if (insn.param) {
      t.registers[insn.operands[0].index] = args_[insn.operands[1].value / 8];
      return {};
    }
    const PtxOperand& place = insn.operands[load ? count : 0];
    const auto size = static_cast<uint64_t>(insn.type.bits / 8);
    TESSERA_ASSIGN(uint8_t * at, Place(t, Value(t, place), size * count, insn));
    for (size_t e = 0; e < count; ++e, at += size) {
      const PtxOperand& o = insn.operands[load ? e : e + 1];
      uint64_t v = load ? 0 : Value(t, o);
      if (!load) {
        std::memcpy(at, &v, size);
        continue;
      }
      std::memcpy(&v, at, size);
      const int up = 64 - insn.type.bits;
      if (insn.type.kind == 's') v = static_cast<uint64_t>(static_cast<int64_t>(v << up) >> up);
      t.registers[o.index] = v;
    }
    return {};
  }

  // mov of a vector to a register and back.
  static void Pack(Thread& t, const PtxInsn& insn) {
    const size_t parts = std::max(insn.counts[0], insn.counts[1]);
    const auto bits = static_cast<unsigned>(insn.type.bits) / static_cast<unsigned>(parts);
    if (insn.counts[0] > 1) {
      const uint64_t v = Value(t, insn.operands[parts]);
      for (size_t p = 0; p < parts; ++p) t.registers[insn.operands[p].index] = v >> (bits * p);
      return;
    }
    uint64_t v = 0;
    for (size_t p = 0; p < parts; ++p)
      v |= (Value(t, insn.operands[1 + p]) & ((uint64_t{1} << bits) - 1)) << (bits * p);
    t.registers[insn.operands[0].index] = v;
  }

  Status Step(Thread& t) {
    if (budget_-- == 0) return Fail(Code::kTimeout, "the kernel does not end");
    if (t.pc >= kernel_.code.size()) return Fail(Code::kOutOfRange, "the code has no end");
    const PtxInsn& insn = kernel_.code[t.pc];
    if (insn.guard >= 0 &&
        (t.registers[static_cast<size_t>(insn.guard)] & 1) == (insn.guard_not ? 1u : 0u)) {
      ++t.pc;
      return {};
    }
    switch (insn.op) {
      case PtxOp::kRet:
        t.wait = Wait::kEnded;
        return {};
      case PtxOp::kBra:
        t.pc = insn.target;
        return {};
      case PtxOp::kMma:
        t.wait = Wait::kWarp;
        return {};
      case PtxOp::kBar:
        if (insn.words.contains("warp")) {
          t.wait = Wait::kWarp;
          return {};
        }
        t.wait = Wait::kBarrier;
        break;
      case PtxOp::kLd:
      case PtxOp::kSt:
        TESSERA_TRY(Access(t, insn));
        break;
      default: {
        if (insn.counts[0] > 1 || insn.counts[1] > 1) {
          Pack(t, insn);
          break;
        }
        uint64_t v[4] = {};
        for (size_t o = 1; o < insn.operands.size(); ++o) v[o - 1] = Value(t, insn.operands[o]);
        t.registers[insn.operands[0].index] =
            PtxResult(insn, std::span(v, insn.operands.size() - 1));
      }
    }
    ++t.pc;
    return {};
  }

  const PtxKernel& kernel_;
  std::span<const uint64_t> args_;
  const GlobalMemory& global_;
  uint64_t& budget_;
  std::vector<Thread> threads_;
  std::vector<uint8_t> shared_;
};

}  // namespace

Status RunPtx(const PtxKernel& kernel, const std::array<uint32_t, 3>& groups,
              std::span<const uint64_t> args, const GlobalMemory& global) {
  uint64_t budget = uint64_t{1} << 36;
  Group group(kernel, args, global, &budget);
  for (uint32_t z = 0; z < groups[2]; ++z) {
    for (uint32_t y = 0; y < groups[1]; ++y) {
      for (uint32_t x = 0; x < groups[0]; ++x) TESSERA_TRY(group.Run({x, y, z}));
    }
  }
  return {};
}

}  // namespace tessera::test
