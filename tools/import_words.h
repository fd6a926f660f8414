// SPDX-License-Identifier: Apache-2.0
//
// How to read a model file and where to put its layers, in the words of the user. Depends on: base.
// Used by: the verbs that take models.
#ifndef TESSERA_TOOLS_IMPORT_WORDS_H_
#define TESSERA_TOOLS_IMPORT_WORDS_H_

#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::tools {

struct ImportWords {
  std::string tflite;               // --tflite; "": 2.14, or the artifact's version
  std::vector<std::string> shapes;  // --shape, each NAME=1,3,224,224
  std::vector<std::string> known;   // --known, each NAME=FILE
  std::string place;                // --place, a goal or a file (network/pins.h); "": auto
};

// errors: kInvalidArgument  |words| are for a model, and |path| is an artifact
inline Status CheckFitsArtifact(const ImportWords& words, const std::string& path) {
  if (!words.place.empty()) {
    return Fail(Code::kInvalidArgument,
                "{}: an artifact, whose layers have their devices; --place goes with a model",
                path);
  }
  if (words.shapes.empty() && words.known.empty()) return {};
  return Fail(Code::kInvalidArgument,
              "{}: an artifact, whose inputs are fixed; {} goes with a model", path,
              words.known.empty() ? "--shape" : "--known");
}

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_IMPORT_WORDS_H_
