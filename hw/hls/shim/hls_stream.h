// SPDX-License-Identifier: Apache-2.0
//
// hls::stream for builds without the vendor's header of this name: a FIFO with a name and a depth
// and blocking reads and writes. A top cannot ask whether it is empty. A read of an empty stream or
// a write to a full one hands over to the runner of the design's tops. When no top can go on, the
// run is in deadlock, and an exception ends every top. C++14.
#ifndef TSR_HLS_SHIM_HLS_STREAM_H_
#define TSR_HLS_SHIM_HLS_STREAM_H_

#ifdef __SYNTHESIS__

// For checks of what synthesis would see: a port that can be read and written, and nothing more.
namespace hls {

template <typename T>
class stream {
 public:
  T read();
  void write(const T& item);
};

}  // namespace hls

#else

#include <cstddef>
#include <deque>
#include <stdexcept>
#include <string>

namespace hls_shim {

// A stream as the runner of the tops sees it.
class fifo {
 public:
  fifo(const std::string& name, size_t depth) : name_(name), depth_(depth) {}
  virtual ~fifo() {}
  const std::string& name() const { return name_; }
  size_t depth() const { return depth_; }
  virtual size_t size() const = 0;

 private:
  std::string name_;
  size_t depth_;
};

// Thrown by read() and write() in a deadlock, or when the runner ends the tops.
class standstill : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs the tops, each on a stack of its own.
class top_runner {
 public:
  virtual ~top_runner() {}
  // The calling top can go on only when |stream| has something (reading) or has room. Returns when
  // it may look again, or throws standstill.
  virtual void wait(const fifo& stream, bool reading) = 0;
  // |stream| has got or lost an element.
  virtual void changed(const fifo& stream) = 0;
};

// The runner of the tops of this thread; null: a top that runs alone.
inline top_runner*& current_runner() {
  static thread_local top_runner* runner = nullptr;
  return runner;
}

inline void wait_for(const fifo& stream, bool reading) {
  if (current_runner() != nullptr) return current_runner()->wait(stream, reading);
  throw standstill("deadlock: stream " + stream.name() +
                   (reading ? " is read while it is empty" : " is written while it is full") +
                   " and nothing else runs");
}

inline void note_change(const fifo& stream) {
  if (current_runner() != nullptr) current_runner()->changed(stream);
}

}  // namespace hls_shim

namespace hls {

template <typename T>
class stream : public hls_shim::fifo {
 public:
  stream(const std::string& name, size_t depth) : hls_shim::fifo(name, depth) {}
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  T read() {
    while (items_.empty()) hls_shim::wait_for(*this, true);
    const T item = items_.front();
    items_.pop_front();
    hls_shim::note_change(*this);
    return item;
  }
  void write(const T& item) {
    while (items_.size() >= depth()) hls_shim::wait_for(*this, false);
    items_.push_back(item);
    hls_shim::note_change(*this);
  }
  size_t size() const override { return items_.size(); }

 private:
  std::deque<T> items_;
};

}  // namespace hls

#endif  // __SYNTHESIS__

#endif  // TSR_HLS_SHIM_HLS_STREAM_H_
