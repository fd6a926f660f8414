// SPDX-License-Identifier: Apache-2.0
#include "sim/rig/rig.h"

#include "sim/rig/generator.h"
#include "sim/rig/program.h"
#include "sim/rig/weaver.h"

namespace tessera::rig {
namespace {

// Adds many tokens at once from one unit; the last time, enough to stall it.
void Crowd(Weaver& weaver, InsnGenerator& generator, const RigOptions& options, Rng& rng) {
  const int64_t depth = options.config.TokenDepth(options.profile), most = weaver.MostTokens();
  for (int64_t n = rng.Range(1, 2); n > 0; --n) {
    int from = 0;
    do from = static_cast<int>(rng.Range(0, isa::kUnits - 1));
    while (weaver.Partners(from) == 0);
    uint8_t to = 0;
    do to = weaver.Partners(from) & static_cast<uint8_t>(rng.Range(1, 15));
    while (to == 0);
    const int64_t counts[] = {depth, depth + 1, most, rng.Range(depth, most), rng.Range(1, depth)};
    weaver.Crowd(from, to, n == 1 ? rng.Range(depth + 1, most) : counts[rng.Range(0, 4)],
                 [&] { return generator.Any(); });
  }
}

}  // namespace

isa::ProgramImage MakeProgram(const RigOptions& options) {
  Rng rng(options.seed);
  InsnGenerator generator(options.config, options.profile, rng);
  Weaver weaver(options.config, options.profile, generator.segments(), rng);
  for (const isa::AnyInsn& insn : generator.Prologue()) weaver.Append(insn);
  int appended = 0;
  for (int attempt = 0; attempt < 30 * options.instructions && appended < options.instructions;
       ++attempt) {
    const int before = appended;
    appended += weaver.Append(generator.Any());
    if (options.crowded && before < appended && appended == (options.instructions + 1) / 2)
      Crowd(weaver, generator, options, rng);
  }
  weaver.Append(generator.Epilogue());

  isa::ProgramImage image;
  image.profile = options.profile;
  image.config_hash = options.config.Hash();
  image.config_name = options.config.name;
  image.segments = generator.segments();
  image.code = EncodeAll(weaver.Finish(), options.profile, options.config);
  return image;
}

}  // namespace tessera::rig
