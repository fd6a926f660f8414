// SPDX-License-Identifier: Apache-2.0
//
// What a user says of how a model file is read, as words. Depends on nothing. Used by: the verbs
// that take models.
#ifndef TESSERA_TOOLS_IMPORT_WORDS_H_
#define TESSERA_TOOLS_IMPORT_WORDS_H_

#include <string>
#include <vector>

namespace tessera::tools {

struct ImportWords {
  std::string tflite;               // --tflite; "": 2.14, or what an artifact was compiled for
  std::vector<std::string> shapes;  // --shape, each NAME=1,3,224,224
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_IMPORT_WORDS_H_
