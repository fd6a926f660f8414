// SPDX-License-Identifier: Apache-2.0
//
// CallThread: a thread for calls into a library that may never return; the caller waits a limited
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
  // Ends the thread, or abandons it if a call has not returned.
  ~CallThread();
  CallThread(const CallThread&) = delete;
  CallThread& operator=(const CallThread&) = delete;

  // Makes |call| on the thread and returns its result. |call| must own what it uses, because it
  // goes on after a timeout. One caller at a time.
  //   what    names the call; asked only if |call| does not return in time
  //   errors  kTimeout  this call, or an earlier one, did not return within |limit|
  Status Run(std::function<Status()> call, std::chrono::milliseconds limit,
             const std::function<std::string()>& what);

  bool stuck() const { return !stuck_.empty(); }

 private:
  struct Shared;  // shared with the thread, which may outlive this object
  std::shared_ptr<Shared> shared_;
  std::string stuck_;  // the call that did not return
};

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_XRT_CALL_THREAD_H_
