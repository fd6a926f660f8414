// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/rtl/fst_file.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "gtkwave/fstapi.h"

namespace tessera::sim {
namespace {

std::optional<uint64_t> Number(const unsigned char* bits, size_t length) {
  uint64_t value = 0;
  for (size_t i = 0; i < length; ++i) {
    if (bits[i] != '0' && bits[i] != '1') return std::nullopt;
    value = value << 1 | (bits[i] == '1');
  }
  return value;
}

// The changes of one file, collected by time.
struct Replay {
  struct Signal {
    std::string name;
    size_t length;
  };
  std::multimap<fstHandle, Signal> wanted;  // two names may be one signal
  SignalValues before, now;
  uint64_t time = 0;
  const std::function<void(const SignalValues&, const SignalValues&)>* step = nullptr;

  void Flush() {
    if (now != before) (*step)(before, now);
    before = now;
  }
  void Change(uint64_t at, fstHandle handle, const unsigned char* bits) {
    if (at != time) Flush();
    time = at;
    const auto [begin, end] = wanted.equal_range(handle);
    for (auto it = begin; it != end; ++it) {
      now.erase(it->second.name);
      if (const auto value = Number(bits, it->second.length)) now[it->second.name] = *value;
    }
  }
};

}  // namespace

Status ReadFst(const std::string& path, const std::vector<std::string>& names,
               const std::function<void(const SignalValues&, const SignalValues&)>& step) {
  const std::unique_ptr<void, void (*)(void*)> file(fstReaderOpen(path.c_str()), fstReaderClose);
  if (!file) return Fail(Code::kDataLoss, "{}: not an fst waveform", path);
  Replay replay;
  replay.step = &step;
  std::vector<std::string> scopes;
  size_t found = 0;
  while (const fstHier* entry = fstReaderIterateHier(file.get())) {
    if (entry->htyp == FST_HT_SCOPE) scopes.emplace_back(entry->u.scope.name);
    if (entry->htyp == FST_HT_UPSCOPE) scopes.pop_back();
    if (entry->htyp != FST_HT_VAR) continue;
    std::string name;
    for (const std::string& scope : scopes) name += scope + ".";
    name += entry->u.var.name;
    name = name.substr(0, name.find(' '));  // "cycles_o [63:0]"
    if (std::ranges::find(names, name) == names.end()) continue;
    if (entry->u.var.length > 64) return Fail(Code::kDataLoss, "{}: {} is wide", path, name);
    replay.wanted.emplace(entry->u.var.handle, Replay::Signal{name, entry->u.var.length});
    ++found;
  }
  if (found != names.size()) {
    return Fail(Code::kDataLoss, "{}: {} of {} signals are in it", path, found, names.size());
  }
  fstReaderSetFacProcessMaskAll(file.get());
  fstReaderIterBlocks(
      file.get(),
      [](void* to, uint64_t time, fstHandle handle, const unsigned char* bits) {
        static_cast<Replay*>(to)->Change(time, handle, bits);
      },
      &replay, nullptr);
  replay.Flush();
  return {};
}

}  // namespace tessera::sim
