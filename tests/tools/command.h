// SPDX-License-Identifier: Apache-2.0
//
// Runs the built `tessera` command as a user does, with a folder for its files.
#ifndef TESSERA_TESTS_TOOLS_COMMAND_H_
#define TESSERA_TESTS_TOOLS_COMMAND_H_

#include <string>

namespace tessera::test {

struct CommandResult {
  int code = -1;       // exit code; -1: ended by a signal
  std::string output;  // standard output and error together
};

// Runs `tessera |arguments|` through the shell, from the root of the tree, after the commands
// |before| ("ulimit -f 8; ").
CommandResult Tessera(const std::string& arguments, const std::string& before = "");

// A path in this process's own folder, which is removed at its end.
std::string TempPath(const std::string& name);

// The bytes of a file; "" if there is none.
std::string Read(const std::string& path);
// Writes |text| to TempPath(name) and returns that path.
std::string Write(const std::string& name, const std::string& text);

inline const char* const kModel = "models/fashion/fashion_int8.onnx";
inline const char* const kImages = "/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz";
inline const char* const kLabels = "/usr/share/datasets/fashion-mnist/t10k-labels-idx1-ubyte.gz";

}  // namespace tessera::test

#endif  // TESSERA_TESTS_TOOLS_COMMAND_H_
