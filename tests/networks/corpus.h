// SPDX-License-Identifier: Apache-2.0
//
// Where failing networks are kept. tests/corpus/networks holds networks that failed once, and
// networks_corpus_test runs them again.
#ifndef TESSERA_TESTS_NETWORKS_CORPUS_H_
#define TESSERA_TESTS_NETWORKS_CORPUS_H_

#include <string>

#include "tests/networks/agree.h"

namespace tessera::networks {

// Shrinks |recipe|, which fails when run in |way|, and writes the smaller recipe and its
// differences to the build folder; returns a text with the file's name, the network and the
// differences.
std::string ShrinkAndKeep(const Recipe& recipe, const Way& way, uint64_t generator_seed);

}  // namespace tessera::networks

#endif  // TESSERA_TESTS_NETWORKS_CORPUS_H_
