// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/check.h"
#include "tests/networks/agree.h"

namespace tessera::networks {
namespace {

// The outcome as bytes: each string as its length and its characters, then the counts.
std::string ToBytes(const Outcome& o) {
  std::string bytes;
  const auto number = [&](int64_t v) { bytes.append(reinterpret_cast<const char*>(&v), sizeof v); };
  for (const std::string* text : {&o.broken, &o.refused, &o.difference}) {
    number(static_cast<int64_t>(text->size()));
    bytes += *text;
  }
  for (const int64_t v : {o.layers, o.compared, o.on_accelerator, o.programs}) number(v);
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
  for (int64_t* v : {&o.layers, &o.compared, &o.on_accelerator, &o.programs}) *v = number();
  return ok && at == bytes.size();
}

}  // namespace

Outcome RunIsolated(const Recipe& recipe, const Way& way, unsigned seconds) {
  int ends[2];
  TESSERA_CHECK(pipe(ends) == 0, "{}", std::strerror(errno));
  std::fflush(nullptr);
  const pid_t child = fork();
  TESSERA_CHECK(child >= 0, "{}", std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    alarm(seconds);
    const std::string bytes = ToBytes(RunNetwork(recipe, way));
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t n = write(ends[1], bytes.data() + at, bytes.size() - at);
      if (n <= 0) break;
      at += static_cast<size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string bytes;
  char part[4096];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;)
    bytes.append(part, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  if (FromBytes(bytes, outcome)) return outcome;
  Outcome crashed;
  crashed.difference =
      WIFSIGNALED(status)
          ? fmt::format(
                "ended by signal {}{}\n", WTERMSIG(status),
                WTERMSIG(status) == SIGALRM ? fmt::format(" after {} seconds", seconds) : "")
          : std::string("ended without a result\n");
  return crashed;
}

}  // namespace tessera::networks
