#ifndef HISTOGRAM_H
#define HISTOGRAM_H
#include <stdint.h>

/* Log-linear: 64 buckets for each power of two, so a value is off by less than 1.6 %. */
#define HISTOGRAM_STEPS 64
typedef struct {
  uint64_t n, max, bucket[64 * HISTOGRAM_STEPS];
  double sum;
} Histogram;

void histogram_add(Histogram *h, uint64_t ns);
/* Prints ,"NAME_us":{…} in microseconds. */
void histogram_print(const char *name, const Histogram *h);
#endif
