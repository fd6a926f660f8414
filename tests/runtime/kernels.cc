// SPDX-License-Identifier: Apache-2.0
//
// Kernels for the tests of the host-code loader, compiled to an object that is read as data.
// Together they need every relocation that the loader knows: calls, tables of addresses, addresses
// through the global offset table, jump tables, functions of the C library.
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" {

void tessera_parallel(void (*body)(void*, void*, int64_t, int64_t), void* context,
                      int64_t iterations, void* scratch, int64_t scratch_bytes);

// buffers: float in[4], int8 out[4].
void quantize4(void** buffers) {
  const float* in = static_cast<const float*>(buffers[0]);
  int8_t* out = static_cast<int8_t*>(buffers[1]);
  for (int i = 0; i < 4; ++i) out[i] = static_cast<int8_t>(in[i] * 10.0f);
}

// buffers: int8 in[4], float out[4].
void dequantize4(void** buffers) {
  const int8_t* in = static_cast<const int8_t*>(buffers[0]);
  float* out = static_cast<float*>(buffers[1]);
  for (int i = 0; i < 4; ++i) out[i] = static_cast<float>(in[i]) * 0.1f;
}

// buffers: int8 in[4], constant int8 bias[4], int8 out[4].
void add_bias4(void** buffers) {
  const int8_t* in = static_cast<const int8_t*>(buffers[0]);
  const int8_t* bias = static_cast<const int8_t*>(buffers[1]);
  int8_t* out = static_cast<int8_t*>(buffers[2]);
  for (int i = 0; i < 4; ++i) out[i] = static_cast<int8_t>(in[i] + bias[i]);
}

static int inside, most_inside;  // threads in MeetSome now, and the most at one time

static void MeetSome(void* context, void*, int64_t begin, int64_t end) {
  void** buffers = static_cast<void**>(context);
  const int wanted = *static_cast<const int8_t*>(buffers[0]);
  const int now = __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
  int most = __atomic_load_n(&most_inside, __ATOMIC_SEQ_CST);
  while (now > most && !__atomic_compare_exchange_n(&most_inside, &most, now, false,
                                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  // Ends after some seconds if the other threads do not come.
  for (int64_t wait = 0; wait < int64_t{1} << 31; ++wait) {
    if (__atomic_load_n(&most_inside, __ATOMIC_RELAXED) >= wanted) break;
  }
  for (int64_t i = begin; i < end; ++i)
    static_cast<int8_t*>(buffers[2])[i] =
        static_cast<int8_t>(__atomic_load_n(&most_inside, __ATOMIC_SEQ_CST));
  __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
}

// buffers: int8 threads[4], constant int8 bias[4], int8 out[4]. Each thread waits until threads[0]
// are in MeetSome; out: the most that were.
void meet4(void** buffers) {
  most_inside = 0;
  tessera_parallel(MeetSome, buffers, 4, nullptr, 0);
}

int64_t g_count;  // in .bss, reached through the global offset table

// buffers: int64 count; the number of calls so far.
void count_calls(void** buffers) { *static_cast<int64_t*>(buffers[0]) = ++g_count; }

static void PutOne(int64_t* out) { *out += 1; }
static void PutTen(int64_t* out) { *out += 10; }
static void PutHundred(int64_t* out) { *out += 100; }
static void (*const kPuts[3])(int64_t*) = {PutOne, PutTen, PutHundred};  // .data.rel.ro

// buffers: int64 out. Adds 111 through a table of addresses.
void through_table(void** buffers) {
  volatile int count = 3;  // so that the table is read at run time
  for (int i = 0; i < count; ++i) kPuts[i](static_cast<int64_t*>(buffers[0]));
}

// buffers: char in[64], char out[64], size_t n. Copies with the C library, then clears what lies
// behind.
void copy_n(void** buffers) {
  const size_t n = *static_cast<size_t*>(buffers[2]);
  std::memcpy(buffers[1], buffers[0], n);
  std::memset(static_cast<char*>(buffers[1]) + n, 0, 64 - n);
}

// buffers: int64 which, int64 out.
void choose(void** buffers) {
  int64_t* out = static_cast<int64_t*>(buffers[1]);
  switch (*static_cast<int64_t*>(buffers[0])) {
    case 0:
      count_calls(buffers + 1);
      *out = 7;
      break;
    case 1:
      through_table(buffers + 1);
      break;
    case 2:
      *out = -5;
      break;
    case 3:
      *out *= 3;
      break;
    case 4:
      *out = *out / 2 + 1;
      break;
    case 5:
      *out = 1 << 20;
      break;
    default:
      *out = 0;
  }
}

}  // extern "C"
