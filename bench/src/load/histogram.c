#include "histogram.h"
#include <stdio.h>

#define STEPS HISTOGRAM_STEPS

static int bucket_of(uint64_t v) {
  if (v < STEPS) return (int)v;
  int e = 63 - __builtin_clzll(v); /* at least 6 */
  return (e - 5) * STEPS + (int)((v >> (e - 6)) & (STEPS - 1));
}

static uint64_t middle_of(int bucket) {
  if (bucket < STEPS) return (uint64_t)bucket;
  int e = bucket / STEPS + 5;
  return (1ull << e) + ((uint64_t)(bucket % STEPS) << (e - 6)) + (1ull << (e - 6)) / 2;
}

void histogram_add(Histogram *h, uint64_t ns) {
  h->bucket[bucket_of(ns)]++;
  h->n++;
  h->sum += (double)ns;
  if (ns > h->max) h->max = ns;
}

static double percentile_us(const Histogram *h, double share) {
  uint64_t wanted = (uint64_t)(share * (double)h->n), seen = 0;
  for (int i = 0; i < 64 * STEPS; i++) {
    seen += h->bucket[i];
    if (seen > wanted) return (double)middle_of(i) / 1e3;
  }
  return (double)h->max / 1e3;
}

void histogram_print(const char *name, const Histogram *h) {
  printf(",\"%s_us\":{\"n\":%llu,\"mean\":%.1f,\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,"
         "\"max\":%.1f}",
         name, (unsigned long long)h->n, h->n ? h->sum / (double)h->n / 1e3 : 0,
         percentile_us(h, .5), percentile_us(h, .9), percentile_us(h, .99), (double)h->max / 1e3);
}
