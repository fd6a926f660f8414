// SPDX-License-Identifier: Apache-2.0
//
// slurm_worker FOLDER/N: a task that answers a request "WORD NUMBER" with the square of the number.
// WORD: square; sleep, which takes half a second; crash; hang; lost, whose process is killed at its
// first try, as a job is that someone ends; gone, which is killed at every try. Each try leaves a
// file "WORD-NUMBER.PID" in the folder TESSERA_TRIES. Used by: pool_test.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "base/file.h"
#include "cluster/slurm_task.h"

namespace {

std::string Answer(const std::string& request) {
  std::istringstream words(request);
  std::string word;
  int64_t number = 0;
  words >> word >> number;
  if (word == "sleep") std::this_thread::sleep_for(std::chrono::milliseconds(500));
  if (word == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
  if (word == "crash") std::abort();
  return std::to_string(number * number);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string task = argv[1];
  const auto bytes = tessera::ReadFile(tessera::cluster::RequestFile(task));
  if (!bytes) return 2;
  std::string request(bytes->begin(), bytes->end());
  const bool lost = request.starts_with("lost"), gone = request.starts_with("gone");
  for (char& c : request) c = c == ' ' ? '-' : c;
  const std::filesystem::path tries = std::getenv("TESSERA_TRIES");
  bool first = true;
  for (const auto& entry : std::filesystem::directory_iterator(tries))
    first = first && !entry.path().filename().string().starts_with(request + ".");
  std::ofstream(tries / (request + "." + std::to_string(getpid()))) << task;
  if (gone || (lost && first)) raise(SIGKILL);
  const auto answered = tessera::cluster::AnswerTask(task, std::chrono::seconds(2), Answer);
  if (!answered) std::fprintf(stderr, "%s\n", answered.error().message.c_str());
  return answered ? 0 : 1;
}
