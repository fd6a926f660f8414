// SPDX-License-Identifier: Apache-2.0
#include "explore/space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/bits.h"
#include "base/number.h"
#include "base/text.h"

namespace tessera::explore {
namespace {

std::string KeysText() {
  std::vector<std::string> keys;
  for (const isa::ConfigKey& key : isa::ConfigKeys()) keys.emplace_back(key.key);
  return fmt::format("{}", fmt::join(keys, ", "));
}

Result<isa::ConfigKey> KeyNamed(const std::string& name) {
  const isa::ConfigKey* nearest = &isa::ConfigKeys()[0];
  for (const isa::ConfigKey& key : isa::ConfigKeys()) {
    if (name == key.key) return key;
    if (EditDistance(name, key.key) < EditDistance(name, nearest->key)) nearest = &key;
  }
  return Fail(Code::kInvalidArgument,
              "--sweep {}: no configuration has this key; the one most like it is {}; there are {}",
              name, nearest->key, KeysText());
}

// The values of |word|: one number, or the powers of two from one to another.
Result<std::vector<int64_t>> ValuesOf(const std::string& key, const std::string& word) {
  const size_t dots = word.find("..");
  if (dots == std::string::npos) {
    if (const auto value = NumberIn<uint32_t>(word)) return std::vector<int64_t>{*value};
    return Fail(Code::kInvalidArgument,
                "--sweep {}={}: '{}' is no whole number; give 16, 16,32 or 16..64", key, word,
                word);
  }
  const auto low = NumberIn<uint32_t>(word.substr(0, dots));
  const auto high = NumberIn<uint32_t>(word.substr(dots + 2));
  std::vector<int64_t> powers;
  for (int64_t value = 1; low && high && value <= *high; value *= 2) {
    if (value >= *low) powers.push_back(value);
  }
  if (!powers.empty()) return powers;
  return Fail(Code::kInvalidArgument,
              "--sweep {}={}: a range has the powers of two from its first number to its second, "
              "and this one has none; give 16..64 or the values themselves",
              key, word);
}

// The message of |illegal| without its numbers and the name of the configuration: what it has in
// common with others.
std::string CauseOf(const std::string& message) {
  std::string cause;
  for (const char c : message.substr(message.find(": ") + 1)) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || !cause.ends_with('#')) cause += digit ? '#' : c;
  }
  return cause;
}

// The change of one key of |keys| that makes |config| legal and is the smallest; "": none does.
std::string NearestLegal(const isa::Config& config, const std::vector<SweptKey>& keys) {
  std::string nearest;
  double least = 0;
  for (const SweptKey& swept : keys) {
    const auto value = static_cast<double>(config.*(swept.key.field) / swept.key.unit);
    for (int64_t other = 1; other <= (int64_t{1} << 20); other *= 2) {
      const double far = std::abs(std::log2(static_cast<double>(other) / std::max(value, 0.5)));
      if (!nearest.empty() && far >= least) continue;
      if (!isa::ValidateConfig(WithKey(config, swept.key, other))) continue;
      nearest = fmt::format("{} {}", swept.key.key, other), least = far;
    }
  }
  return nearest;
}

}  // namespace

Result<std::vector<SweptKey>> ParseSweep(const std::vector<std::string>& words) {
  std::vector<SweptKey> keys;
  for (const std::string& word : words) {
    for (size_t begin = 0; begin <= word.size();) {
      const size_t end = std::min(word.find(',', begin), word.size());
      std::string part = word.substr(begin, end - begin);
      begin = end + 1;
      if (const size_t equals = part.find('='); equals != std::string::npos) {
        TESSERA_ASSIGN(const isa::ConfigKey key, KeyNamed(part.substr(0, equals)));
        const auto same = [&](const SweptKey& other) { return other.key.field == key.field; };
        if (std::ranges::any_of(keys, same))
          return Fail(Code::kInvalidArgument,
                      "--sweep has key {} twice; give its values in one list", key.key);
        keys.push_back({key, {}});
        part = part.substr(equals + 1);
      }
      if (keys.empty())
        return Fail(Code::kInvalidArgument,
                    "--sweep {}: a key and its values are needed, say block=4,8,16; keys: {}", word,
                    KeysText());
      SweptKey& swept = keys.back();
      TESSERA_ASSIGN(const std::vector<int64_t> values, ValuesOf(swept.key.key, part));
      for (const int64_t value : values) {
        if (std::ranges::count(swept.values, value) > 0)
          return Fail(Code::kInvalidArgument, "--sweep {}: value {} is there twice", swept.key.key,
                      value);
        swept.values.push_back(value);
      }
    }
  }
  for (SweptKey& swept : keys) std::ranges::sort(swept.values);
  return keys;
}

std::vector<SweptKey> WholeSweep() {
  auto keys = ParseSweep({"batch=1,2,block=4..64,uop_kib=8,32,wgt_kib=16..512,inp_kib=8..128",
                          "acc_kib=16..256,prm_depth=8..64,bus_bits=64..256,token_depth=63,255"});
  TESSERA_CHECK(keys.has_value());
  return *keys;
}

std::string SweepText(const std::vector<SweptKey>& keys) {
  std::vector<std::string> words;
  for (const SweptKey& swept : keys)
    words.push_back(fmt::format("{}={}", swept.key.key, fmt::join(swept.values, ",")));
  return fmt::format("{}", fmt::join(words, " "));
}

Result<MachineSpace> MachineSpace::Make(const isa::Config& base, std::vector<SweptKey> keys) {
  MachineSpace space;
  space.base_ = base;
  space.keys_ = std::move(keys);
  for (const SweptKey& swept : space.keys_) {
    const auto values = std::ssize(swept.values);
    if (space.all_ > kMost / values) {
      return Fail(Code::kOutOfRange,
                  "--sweep: more than {} machines with key {}; leave out values or keys", kMost,
                  swept.key.key);
    }
    space.all_ *= values;
  }
  std::map<std::string, size_t> causes;
  for (int64_t machine = 0; machine < space.all_; ++machine) {
    const isa::Config config = space.ConfigOf(machine);
    const Status legal = isa::ValidateConfig(config);
    if (legal) {
      space.legal_.push_back(machine);
      continue;
    }
    const auto [at, fresh] =
        causes.try_emplace(CauseOf(legal.error().message), space.illegal_.size());
    if (fresh)
      space.illegal_.push_back({0, legal.error().message, NearestLegal(config, space.keys_)});
    ++space.illegal_[at->second].count;
  }
  if (!space.legal_.empty()) return space;
  const IllegalMachines& first =
      *std::ranges::max_element(space.illegal_, {}, &IllegalMachines::count);
  return Fail(Code::kOutOfRange, "--sweep: none of {} machines is legal; {} of them: {}{}",
              space.all_, first.count, first.example,
              first.nearest.empty() ? "" : "; the nearest legal value is " + first.nearest);
}

std::vector<size_t> MachineSpace::PlacesOf(int64_t machine) const {
  std::vector<size_t> places(keys_.size());
  for (size_t k = keys_.size(); k-- > 0;) {
    const auto values = std::ssize(keys_[k].values);
    places[k] = static_cast<size_t>(machine % values);
    machine /= values;
  }
  return places;
}

int64_t MachineSpace::MachineAt(const std::vector<size_t>& places) const {
  int64_t machine = 0;
  for (size_t k = 0; k < keys_.size(); ++k)
    machine = machine * std::ssize(keys_[k].values) + static_cast<int64_t>(places[k]);
  return machine;
}

isa::Config MachineSpace::ConfigOf(int64_t machine) const {
  const std::vector<size_t> places = PlacesOf(machine);
  isa::Config config = base_;
  bool acc = false, out = false, clock = false;
  for (size_t k = 0; k < keys_.size(); ++k) {
    config = WithKey(config, keys_[k].key, keys_[k].values[places[k]]);
    acc = acc || keys_[k].key.field == &isa::Config::acc_bytes;
    out = out || keys_[k].key.field == &isa::Config::out_bytes;
    clock = clock || keys_[k].key.field == &isa::Config::clock_mhz;
  }
  if (acc && !out) config.out_bytes = isa::OutBytesFor(config);
  config.name = NameOf(config) + (clock ? fmt::format("f{}", config.clock_mhz) : "");
  return config;
}

isa::Config WithKey(isa::Config config, const isa::ConfigKey& key, int64_t value) {
  config.*(key.field) = value * key.unit;
  config.block_in = config.block_out;
  return config;
}

std::string NameOf(const isa::Config& c) {
  static const isa::Config usual;
  std::string name = fmt::format("n{}b{}u{}w{}i{}a{}o{}p{}x{}", c.batch, c.block_out,
                                 c.uop_bytes >> 10, c.wgt_bytes >> 10, c.inp_bytes >> 10,
                                 c.acc_bytes >> 10, c.out_bytes >> 10, c.prm_depth, c.bus_bits);
  if (c.queue_depth != usual.queue_depth) name += fmt::format("q{}", c.queue_depth);
  if (c.token_depth != usual.token_depth) name += fmt::format("t{}", c.token_depth);
  if (c.tab_bytes != usual.tab_bytes) name += fmt::format("y{}", c.tab_bytes);
  if (c.vector_passes != usual.vector_passes) name += fmt::format("v{}", c.vector_passes);
  if (c.array_passes != usual.array_passes) name += fmt::format("g{}", c.array_passes);
  if (c.depthwise != usual.depthwise) name += fmt::format("w{}", c.depthwise);
  return name;
}

}  // namespace tessera::explore
