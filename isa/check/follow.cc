// SPDX-License-Identifier: Apache-2.0
#include "isa/check/follow.h"

#include <cstring>
#include <numeric>
#include <utility>

#include "isa/encoding.h"
#include "isa/semantics/fields.h"

namespace tessera::isa {
namespace {

constexpr uint64_t kMaxCells = uint64_t{1} << 24;  // of one segment's shadow

}  // namespace

Follower::Follower(const ProgramImage& image, const Config& config, const CheckOptions& options,
                   const Fetcher& fetcher, const InsnStream& program, CheckReport& report)
    : image_(image),
      config_(config),
      options_(options),
      fetcher_(fetcher),
      program_(program),
      report_(report),
      units_(config, image.profile),
      uops_(config.Depth(Memory::kUop, image.profile)),
      uop_loaded_(uops_.size()) {
  for (int m = 0; m < kMemories; ++m) {
    const Memory memory = static_cast<Memory>(m);
    limits_[m] = config.Depth(memory, image.profile);
    shadow_[m] = Shadow(memory == Memory::kAcc8 ? 0 : limits_[m], 1);
  }
  for (int s = 0; s < kSegments; ++s)
    limits_[Space::OfSegment(s).index] = static_cast<int64_t>(image.segments[s].size);
  PlanSegments();
}

// Cuts each segment that a store writes into cells, as large as its accesses allow. Other segments
// need no cells.
void Follower::PlanSegments() {
  std::array<int64_t, kSegments> grain{};
  const auto mix = [&](int64_t segment, std::initializer_list<int64_t> facts) {
    for (int64_t fact : facts) grain[segment] = std::gcd(grain[segment], fact);
  };
  for (const Fetched& fetched : program_) {
    sound_.push_back(!CheckFields(fetched.insn, config_));
    if (!sound_.back()) continue;  // reported when its turn comes
    const InsnNest nest = NestOf(fetched.insn, config_);
    for (const NestOperand& o : nest.operands()) {
      if (!o.space.is_segment()) continue;
      const int segment = o.space.segment();
      stored_[segment] = stored_[segment] || o.write;
      mix(segment, {o.base, o.extent});
      for (int l = 0; l < nest.loop_count; ++l) {
        if (nest.CountFor(o, l) > 1) mix(segment, {o.strides[l]});
      }
    }
  }
  for (int s = 0; s < kSegments; ++s) {
    if (!stored_[s]) continue;
    Shadow& shadow = shadow_[Space::OfSegment(s).index];
    const int64_t cell = std::max<int64_t>(grain[s], 1);
    if (image_.segments[s].size / cell > kMaxCells) {
      Add(Finding::kWork, {},
          fmt::format("segment {} has {} bytes and is stored to in pieces of {}: too many to "
                      "follow; make it smaller",
                      s, image_.segments[s].size, cell));
      continue;
    }
    const int64_t size = static_cast<int64_t>(image_.segments[s].size);
    shadow = Shadow(size, cell);
    const bool given = image_.profile == Profile::kVta || s == static_cast<int>(Segment::kInput);
    shadow.Initialise(given ? size : static_cast<int64_t>(image_.segments[s].data.size()));
  }
}

void Follower::Run() {
  if (!report_.diagnostics.empty()) return;  // a segment has too many cells
  uint32_t next = 0;
  bool moved = true;
  while (moved && !Full()) {
    moved = false;
    for (; next < program_.size(); ++next, moved = true) {
      const Fetched& fetched = program_[next];
      if (fetched.finish && image_.profile == Profile::kTessera) continue;
      if (!units_.HasRoom(fetched.unit)) break;
      units_.Enqueue(Issued{.number = next, .executed = false, .fetched = fetched});
    }
    for (int unit = 0; unit < kUnits && !Full(); ++unit) {
      while (!Full()) {
        if (units_.CanRetire(unit)) {
          End(unit);
        } else if (units_.CanStart(unit)) {
          Begin(unit);
        } else {
          break;
        }
        moved = true;
      }
    }
  }
  if (Full()) return;
  if (next < program_.size() || !units_.Empty()) {
    ReportDeadlock(next < program_.size() ? std::optional(next) : std::nullopt);
  } else {
    ReportLeftover();
  }
}

void Follower::Begin(int unit) {
  const Issued& issued = units_.Start(unit);
  VectorClock& clock = clock_[unit];
  for (int from = 0; from < kUnits; ++from) {
    if (((issued.fetched.pop >> from) & 1) == 0) continue;
    Join(clock, tokens_[from][unit].front());
    tokens_[from][unit].pop_front();
  }
  insns_[unit].push_back(issued.number);
  clock[unit] = static_cast<uint32_t>(insns_[unit].size());
  if (!sound_[issued.number]) {
    Add(Finding::kDecode, {issued.number},
        fmt::format("{}: {}", program_.Name(issued.number),
                    CheckFields(issued.fetched.insn, config_).detail));
    return;
  }
  CheckClamp(issued);
  const uint64_t steps = static_cast<uint64_t>(Steps(issued.fetched.insn));
  if (steps > options_.max_steps - steps_) {
    Add(Finding::kWork, {issued.number},
        fmt::format("{}: its loops take {} steps, more than the {} that are followed; split it or "
                    "check less",
                    program_.Name(issued.number), steps, options_.max_steps - steps_));
    return;
  }
  steps_ += steps;
  CheckAccesses(issued, unit, clock);
}

// Reports a clamp whose lower limit exceeds its upper limit: machines may give different results.
void Follower::CheckClamp(const Issued& issued) {
  const Insn* insn = std::get_if<Insn>(&issued.fetched.insn);
  if (insn == nullptr) return;
  const auto check = [&](const auto& v) {
    if (static_cast<VectorMemory>(v.dst_mem) == VectorMemory::kAcc || v.lo <= v.hi) return;
    Add(Finding::kDecode, {issued.number},
        fmt::format("{}: lo is {} and hi is {}, lo must not be greater",
                    program_.Name(issued.number), v.lo, v.hi));
  };
  if (const Requant* requant = std::get_if<Requant>(insn)) check(*requant);
  if (const isa::Add* add = std::get_if<isa::Add>(insn)) check(*add);
}

void Follower::End(int unit) {
  const uint8_t push = units_.Running(unit).fetched.push;
  for (int to = 0; to < kUnits; ++to) {
    if ((push >> to) & 1) tokens_[unit][to].push_back(clock_[unit]);
  }
  units_.Retire(unit);
}

void Follower::CheckAccesses(const Issued& issued, int unit, const VectorClock& clock) {
  const InsnNest nest = NestOf(issued.fetched.insn, config_);
  std::vector<Uop> uops;
  if (!ReadUops(issued, nest, uops)) return;
  Walk(nest, uops, [&](const Touch& touch) {
    CheckTouch(touch, issued, unit, clock);
    if (options_.on_touch) options_.on_touch(issued.number, touch);
  });
  LoadUops(nest);
}

// Gives the micro-ops that the instruction runs; false, with a diagnostic, if they are unknown.
bool Follower::ReadUops(const Issued& issued, const InsnNest& nest, std::vector<Uop>& uops) {
  const UopRange range = UopsOf(nest);
  if (range.begin + range.count > static_cast<int64_t>(uops_.size())) {
    ReportBounds(issued.number, fmt::format("reads uop tile {}, which has {}",
                                            range.begin + range.count - 1, uops_.size()));
    return false;
  }
  for (int64_t u = range.begin; u < range.begin + range.count; ++u) {
    if (!uop_loaded_[u]) {
      Add(Finding::kUnwritten, {issued.number},
          fmt::format("{}: reads uop tile {}, which nothing wrote before it; load it first",
                      program_.Name(issued.number), u));
      return false;
    }
    if (!uops_[u]) {
      Add(Finding::kWork, {issued.number},
          fmt::format("{}: micro-op {} is not known before the run; load it from a segment's data "
                      "that no store changes",
                      program_.Name(issued.number), u));
      return false;
    }
    if (image_.profile == Profile::kVta) {
      const VtaUop uop = fetcher_.vta()->DecodeUop(static_cast<uint32_t>(*uops_[u]));
      uops.push_back({uop.dst_idx, uop.src_idx, uop.wgt_idx, 0});
      continue;
    }
    Result<Uop> uop = DecodeUop(*uops_[u]);
    if (!uop) {
      Add(Finding::kDecode, {issued.number},
          fmt::format("{}: micro-op {}: {}", program_.Name(issued.number), u, uop.error().message));
      return false;
    }
    uops.push_back(*uop);
  }
  return true;
}

// Notes the micro-ops that a load leaves in UOP.
void Follower::LoadUops(const InsnNest& nest) {
  const NestOperand* to = nullptr;
  const NestOperand* from = nullptr;
  for (const NestOperand& o : nest.operands()) {
    if (o.write && o.space == Space::Of(Memory::kUop)) to = &o;
    if (!o.write && o.space.is_segment()) from = &o;
  }
  if (to == nullptr || from == nullptr) return;
  for (int64_t step = 0; step < nest.steps(); ++step) {
    int64_t offset = from->base, rest = step;
    bool inside = true;
    for (int l = nest.loop_count - 1; l >= 0; --l) {
      const NestLoop& loop = nest.loop_list[l];
      const int64_t k = rest % loop.count - loop.before;
      rest /= loop.count;
      inside = inside && k >= 0 && k < loop.inside;
      offset += k * from->strides[l];
    }
    LoadUop(to->base + step, inside ? from->space.segment() : -1, offset);
  }
}

// Notes that UOP tile |tile| comes from |offset| of |segment|, or from a pad if |segment| is -1.
void Follower::LoadUop(int64_t tile, int64_t segment, int64_t offset) {
  if (tile >= static_cast<int64_t>(uops_.size())) return;
  std::optional<uint64_t>& word = uops_[tile];
  word.reset();
  uop_loaded_[tile] = true;
  const int64_t bytes = config_.TileBytes(Memory::kUop, image_.profile);
  if (segment < 0) {
    word = 0;
  } else if (!stored_[segment] &&
             offset + bytes <= static_cast<int64_t>(image_.segments[segment].data.size())) {
    word = 0;
    std::memcpy(&*word, &image_.segments[segment].data[offset], bytes);
  }
}

void Follower::CheckTouch(const Touch& touch, const Issued& issued, int unit,
                          const VectorClock& clock) {
  const int64_t limit = limits_[touch.space.index], last = touch.first + touch.count - 1;
  if (last >= limit) {
    if (std::exchange(bounds_reported_, issued.number) != issued.number) {
      ReportBounds(
          issued.number,
          fmt::format("{} {} {} {}, which has {}", touch.write ? "writes" : "reads",
                      Text(touch.space), touch.space.is_segment() ? "byte" : "tile", last, limit));
    }
    // Still checks the part in bounds, for the instructions after this one.
    if (touch.first < limit)
      CheckTouch({touch.space, touch.first, limit - touch.first, touch.write}, issued, unit, clock);
    return;
  }
  Shadow::Found found;
  const bool followed = !touch.space.is_segment() || stored_[touch.space.segment()];
  Shadow& shadow = shadow_[touch.space.index];
  if (followed) {
    shadow.Touch(touch.first, touch.count, touch.write, unit, clock[unit], found);
    for (int other = 0; other < kUnits; ++other) {
      if (found.conflict[other] > clock[other])
        ReportRace(touch, issued, other, found.conflict[other]);
    }
  } else if (image_.profile == Profile::kTessera &&
             touch.space.segment() != static_cast<int>(Segment::kInput)) {
    const int64_t known = static_cast<int64_t>(image_.segments[touch.space.segment()].data.size());
    if (touch.first + touch.count > known) found.unwritten = std::max(touch.first, known);
  }
  if (found.unwritten < 0 || std::exchange(unwritten_reported_, issued.number) == issued.number)
    return;
  Add(Finding::kUnwritten, {issued.number},
      fmt::format("{}: reads {} {} {}, which nothing wrote before it; load or store it first, or "
                  "give it data",
                  program_.Name(issued.number), Text(touch.space),
                  touch.space.is_segment() ? "byte" : "tile", found.unwritten));
}

void Follower::ReportRace(const Touch& touch, const Issued& issued, int other, uint32_t number) {
  const uint32_t with = insns_[other][number - 1];
  if (!races_.insert({with, issued.number, touch.space.index}).second) return;
  const int64_t address =
      shadow_[touch.space.index].AddressOf(touch.first, touch.count, other, number);
  Diagnosis race = RaceBetween(program_, with, issued.number, touch.space, address);
  std::string text = race.Line();
  report_.diagnostics.push_back({Finding::kRace,
                                 false,
                                 {std::min(with, issued.number), std::max(with, issued.number)},
                                 std::move(text),
                                 std::move(race)});
}

void Follower::ReportBounds(uint32_t number, std::string_view what) {
  if (Full()) return;
  Diagnosis past = OutOfBounds(program_, number, what);
  std::string text = past.Line();
  report_.diagnostics.push_back(
      {Finding::kBounds, false, {number}, std::move(text), std::move(past)});
}

void Follower::ReportDeadlock(std::optional<uint32_t> waiting) {
  MachineStanding at{.units = units_.Standing()};
  at.fetch = waiting;
  Diagnosis diagnosis = Diagnose(program_, at);
  std::vector<uint32_t> insns;
  for (int unit = 0; unit < kUnits; ++unit) {
    if (const Issued* head = units_.Waiting(unit)) insns.push_back(head->number);
  }
  Add(Finding::kDeadlock, std::move(insns), diagnosis.Line());
  report_.diagnostics.back().diagnosis = std::move(diagnosis);
}

void Follower::ReportLeftover() {
  for (int from = 0; from < kUnits; ++from) {
    for (int to = 0; to < kUnits; ++to) {
      if (units_.Tokens(from, to) == 0) continue;
      Add(Finding::kLeftover, {},
          fmt::format("{} tokens from {} to {} are left at finish; every push needs its pop",
                      units_.Tokens(from, to), Text(static_cast<Unit>(from)),
                      Text(static_cast<Unit>(to))),
          image_.profile == Profile::kVta);
    }
  }
}

void Follower::Add(Finding finding, std::vector<uint32_t> insns, std::string text, bool warning) {
  if (Full()) return;
  report_.diagnostics.push_back(
      {finding, warning, std::move(insns), fmt::format("{}: {}", Text(finding), text)});
}

}  // namespace tessera::isa
