// SPDX-License-Identifier: Apache-2.0
#include "sim/rig/rig.h"

#include "sim/rig/generator.h"
#include "sim/rig/program.h"
#include "sim/rig/weaver.h"

namespace tessera::rig {

isa::ProgramImage MakeProgram(const RigOptions& options) {
  Rng rng(options.seed);
  InsnGenerator generator(options.config, options.profile, rng);
  Weaver weaver(options.config, options.profile, generator.segments(), rng);
  for (const isa::AnyInsn& insn : generator.Prologue()) weaver.Append(insn);
  int appended = 0;
  for (int attempt = 0; attempt < 30 * options.instructions && appended < options.instructions;
       ++attempt) {
    appended += weaver.Append(generator.Any());
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
