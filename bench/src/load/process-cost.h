#ifndef PROCESS_COST_H
#define PROCESS_COST_H
#include <stdint.h>

#define PROCESSES_MAX 64
typedef struct {
  int pid[PROCESSES_MAX], n;
} Processes;

typedef struct {
  double cpu_s;         /* all threads, to the nanosecond */
  double user_s, sys_s; /* to the kernel's tick */
  long rss_kb;
} ProcessCost;

/* Reads a list such as 12,34. */
Processes read_processes(char *list);
/* What they have used together so far. */
ProcessCost cost_of(const Processes *processes);

typedef struct {
  ProcessCost target, engine;
  double own_s;
  uint64_t at_ns;
} Sample;

Sample take_sample(const Processes *target, const Processes *engine);
/* As members of a JSON object, from one sample to a later one. */
void print_costs(const Sample *a, const Sample *b, uint64_t requests, uint64_t content);
/* As many open files as we may have. */
void raise_file_limit(void);
#endif
