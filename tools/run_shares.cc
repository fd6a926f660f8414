// SPDX-License-Identifier: Apache-2.0
#include "tools/run_shares.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "tools/verb.h"

namespace tessera::tools {
namespace {

constexpr int kMostAccelerators = 64;

// The items of one runner, and what came of them.
struct ItemShare {
  int64_t first = 0, count = 0;
  ExecutionReport report;
  std::optional<Result<std::vector<HostTensor>>> outputs;
  int64_t done = 0;
};

// Share |k| of |of|, as equal as possible.
ItemShare ShareOf(int64_t items, int64_t k, int64_t of) {
  ItemShare share;
  share.first = items * k / of;
  share.count = items * (k + 1) / of - share.first;
  return share;
}

// Adds |more| to |sum|, entry by entry.
void AddUp(const std::vector<double>& more, std::vector<double>* sum) {
  sum->resize(std::max(sum->size(), more.size()));
  for (size_t k = 0; k < more.size(); ++k) (*sum)[k] += more[k];
}

// Puts the items of |shares| that are all there behind each other.
std::vector<HostTensor> JoinShares(std::vector<ItemShare>& shares, ExecutionReport* report) {
  std::vector<HostTensor> joined = std::move(**shares[0].outputs);
  bool whole = true;  // all items so far are there
  for (ItemShare& share : shares) {
    AddUp(share.report.step_seconds, &report->step_seconds);
    AddUp(share.report.device_seconds, &report->device_seconds);
    if (!whole) continue;
    for (size_t o = 0; o < joined.size() && &share != &shares[0]; ++o) {
      const HostTensor& part = (**share.outputs)[o];
      joined[o].bytes.insert(joined[o].bytes.end(), part.bytes.begin(), part.bytes.end());
      joined[o].shape[0] += part.shape[0];
    }
    std::ranges::move(share.report.runs, std::back_inserter(report->runs));
    report->inferences += share.report.inferences;
    whole = share.report.inferences == share.count;
  }
  return joined;
}

}  // namespace

void AddAcceleratorsOption(CLI::App* verb, int& count) {
  verb->add_option("--accelerators", count,
                   "open the device so many times, each a simulator of its own, and give each a "
                   "share of the items; they run at the same time")
      ->check(CLI::Range(1, kMostAccelerators))
      ->capture_default_str();
}

bool CanBeMany(const ChosenDevice& device) {
  const Result<const Driver*> driver = FindDriver(Drivers(), device.name);
  return driver && (*driver)->many;
}

Result<std::vector<Runner>> OpenRunners(const LoadedNetwork& network, const ChosenDevice& chosen,
                                        const ExecutorOptions& options, int count, int64_t items) {
  if (count > 1) {
    if (!CanBeMany(chosen)) {
      return Fail(Code::kUnsupported,
                  "{} is one device, and --accelerators wants {}; only simulators of the "
                  "accelerator can be there several times: leave --accelerators out, or give one "
                  "of them to --device",
                  chosen.name, count);
    }
    if (chosen.options.values.contains("wave")) {
      return Fail(Code::kInvalidArgument,
                  "a waveform is of one accelerator, and --accelerators wants {}; leave one of the "
                  "two out",
                  count);
    }
    if (!network.artifact->states.empty() && !options.fresh_states) {
      return Fail(Code::kInvalidArgument,
                  "the model has states, which pass from item to item, so {} accelerators cannot "
                  "share its items; --reset-state begins each item with the first states",
                  count);
    }
  }
  std::vector<Runner> runners;
  for (int64_t k = 0; k < std::clamp<int64_t>(items, 1, count); ++k) {
    TESSERA_ASSIGN(Runner runner, OpenRunner(network, chosen, options));
    runners.push_back(std::move(runner));
  }
  return runners;
}

Result<std::vector<HostTensor>> RunShares(std::span<Runner> runners,
                                          std::span<const HostTensor> inputs, int64_t first,
                                          ExecutionReport* report, Runner** failed) {
  *failed = &runners[0];
  if (runners.size() == 1) return runners[0].executor->Run(inputs, report);
  const int64_t items = inputs[0].shape[0], of = std::ssize(runners);
  std::vector<ItemShare> shares;
  for (int64_t k = 0; k < of; ++k) shares.push_back(ShareOf(items, k, of));
  std::mutex mutex;  // of |done| and report->done
  int64_t done = 0;
  std::atomic<bool> ends = false;
  const auto run = [&](size_t k) {
    ItemShare& share = shares[k];
    share.report.done = [&](int64_t here) {
      const std::scoped_lock lock(mutex);
      share.done = here;
      if (report->done && !report->done(++done)) ends = true;
      return !ends.load();
    };
    std::vector<HostTensor> mine;
    for (const HostTensor& input : inputs) mine.push_back(input.Slice(share.first, share.count));
    share.outputs = runners[k].executor->Run(mine, &share.report);
    if (!*share.outputs) ends = true;
  };
  {
    std::vector<std::jthread> threads;
    for (size_t k = 1; k < runners.size(); ++k) threads.emplace_back(run, k);
    run(0);
  }
  for (size_t k = 0; k < shares.size(); ++k) {
    if (*shares[k].outputs) continue;
    *failed = &runners[k];
    return Within(fmt::format("accelerator {} of {}, item {}", k + 1, of,
                              first + shares[k].first + shares[k].done),
                  shares[k].outputs->error());
  }
  return JoinShares(shares, report);
}

}  // namespace tessera::tools
