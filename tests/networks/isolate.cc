// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "base/workers.h"
#include "tests/networks/agree.h"

namespace tessera::networks {
namespace {

// The outcome as bytes: for each string its length and its characters, then the counts.
std::string ToBytes(const Outcome& o) {
  std::string bytes;
  const auto number = [&](int64_t v) { bytes.append(reinterpret_cast<const char*>(&v), sizeof v); };
  for (const std::string* text : {&o.broken, &o.refused, &o.difference}) {
    number(static_cast<int64_t>(text->size()));
    bytes += *text;
  }
  for (const int64_t v : {o.layers, o.compared, o.on_accelerator, o.on_gpu, o.programs, o.shared,
                          o.cuts, o.lookups, o.views})
    number(v);
  return bytes;
}

bool FromBytes(const std::string& bytes, Outcome& o) {
  size_t at = 0;
  bool ok = true;
  const auto number = [&] {
    int64_t v = 0;
    ok = ok && bytes.size() - at >= sizeof v;
    if (ok) std::memcpy(&v, bytes.data() + at, sizeof v), at += sizeof v;
    return v;
  };
  for (std::string* text : {&o.broken, &o.refused, &o.difference}) {
    const auto size = static_cast<size_t>(number());
    ok = ok && bytes.size() - at >= size;
    if (ok) *text = bytes.substr(at, size), at += size;
  }
  for (int64_t* v : {&o.layers, &o.compared, &o.on_accelerator, &o.on_gpu, &o.programs, &o.shared,
                     &o.cuts, &o.lookups, &o.views})
    *v = number();
  return ok && at == bytes.size();
}

}  // namespace

Outcome RunIsolated(const Recipe& recipe, const Way& way, unsigned seconds) {
  const WorkEnd end = tessera::RunIsolated([&] { return ToBytes(RunNetwork(recipe, way)); },
                                           std::chrono::seconds(seconds));
  Outcome outcome;
  if (end.crash.empty() && FromBytes(end.bytes, outcome)) return outcome;
  Outcome crashed;
  crashed.difference = (end.crash.empty() ? "ended without a result" : end.crash) + "\n";
  return crashed;
}

}  // namespace tessera::networks
