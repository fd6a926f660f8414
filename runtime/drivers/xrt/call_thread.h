// SPDX-License-Identifier: Apache-2.0
//
// A thread on which calls into a library are made that may never return: the caller waits a limited
// time. Depends on: base. Used by: xrt_card.cc, tests.
#ifndef TESSERA_RUNTIME_DRIVERS_XRT_CALL_THREAD_H_
#define TESSERA_RUNTIME_DRIVERS_XRT_CALL_THREAD_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"

namespace tessera {

class CallThread {
 public:
  CallThread();
  // Ends the thread, or leaves it alone where a call has not returned.
  ~CallThread();
  CallThread(const CallThread&) = delete;
  CallThread& operator=(const CallThread&) = delete;

  // Makes |call| on the thread and returns what it returns. It must own what it uses: after a
  // timeout it goes on by itself. One caller at a time.
  //   what    in words, asked for only when |call| does not return in time
  //   errors  kTimeout  it did not return within |limit|, or an earlier one did not
  Status Run(std::function<Status()> call, std::chrono::milliseconds limit,
             const std::function<std::string()>& what);

  bool stuck() const { return !stuck_.empty(); }

 private:
  struct Shared;  // with the thread, which may outlive this
  std::shared_ptr<Shared> shared_;
  std::string stuck_;  // what did not return
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_XRT_CALL_THREAD_H_
