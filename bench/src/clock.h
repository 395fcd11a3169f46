#ifndef CLOCK_H
#define CLOCK_H
#include <stdint.h>
#include <time.h>

/* The clock that all processes of a machine share: stamps of one can be read by another. */
static inline uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}
#endif
