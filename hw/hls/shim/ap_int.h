// SPDX-License-Identifier: Apache-2.0
//
// ap_uint<W> and ap_int<W> for builds without the vendor's header of this name, with only what the
// twin uses. Values of at most 64 bits convert to and from built-in integers and compute as these;
// wider values are only copied and cut with range(). C++14.
#ifndef TSR_HLS_SHIM_AP_INT_H_
#define TSR_HLS_SHIM_AP_INT_H_

#include <cstdint>
#include <type_traits>

namespace hls_shim {

constexpr uint64_t low_bits(int bits) {
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

// Bits hi..lo of an array of words; at most 64, in one word.
inline uint64_t get_bits(const uint64_t* words, int hi, int lo) {
  return words[lo / 64] >> (lo % 64) & low_bits(hi - lo + 1);
}
inline void set_bits(uint64_t* words, int hi, int lo, uint64_t value) {
  const uint64_t mask = low_bits(hi - lo + 1) << (lo % 64);
  words[lo / 64] = (words[lo / 64] & ~mask) | (value << (lo % 64) & mask);
}

// The result of range() on a value that is not constant: bits that can be read and written.
class bit_range {
 public:
  bit_range(uint64_t* words, int hi, int lo) : words_(words), hi_(hi), lo_(lo) {}
  operator uint64_t() const { return get_bits(words_, hi_, lo_); }
  bit_range& operator=(uint64_t value) {
    set_bits(words_, hi_, lo_, value);
    return *this;
  }

 private:
  uint64_t* words_;
  int hi_, lo_;
};

}  // namespace hls_shim

template <int W>
class ap_uint {
 public:
  ap_uint() : words_{} {}
  template <typename T, typename = typename std::enable_if<std::is_integral<T>::value>::type>
  ap_uint(T value) : words_{} {
    words_[0] = static_cast<uint64_t>(value) & hls_shim::low_bits(W);
  }
  template <int V>
  ap_uint(const ap_uint<V>& other) : ap_uint(static_cast<uint64_t>(other)) {}
  ap_uint(const hls_shim::bit_range& bits) : ap_uint(static_cast<uint64_t>(bits)) {}

  hls_shim::bit_range range(int hi, int lo) { return hls_shim::bit_range(words_, hi, lo); }
  uint64_t range(int hi, int lo) const { return hls_shim::get_bits(words_, hi, lo); }

  // Values of more than 64 bits are cut with range() instead.
  operator uint64_t() const {
    static_assert(W <= 64, "cut a wide value with range()");
    return words_[0];
  }

 private:
  uint64_t words_[(W + 63) / 64];
};

template <int W>
class ap_int {
 public:
  static_assert(W <= 64, "wide signed values are not used");
  ap_int() : value_(0) {}
  template <typename T, typename = typename std::enable_if<std::is_integral<T>::value>::type>
  ap_int(T value) : value_(sign_extend(static_cast<uint64_t>(value))) {}
  operator int64_t() const { return value_; }

 private:
  static int64_t sign_extend(uint64_t value) {
    const uint64_t sign = uint64_t{1} << (W - 1);
    return static_cast<int64_t>(((value & hls_shim::low_bits(W)) ^ sign) - sign);
  }
  int64_t value_;
};

#endif  // TSR_HLS_SHIM_AP_INT_H_
