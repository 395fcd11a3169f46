#ifndef PROCESS_COST_H
#define PROCESS_COST_H

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
#endif
