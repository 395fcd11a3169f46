#include "process-cost.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Processes read_processes(char *list) {
  Processes found = {.n = 0};
  for (char *one = strtok(list, ","); one && found.n < PROCESSES_MAX; one = strtok(NULL, ","))
    found.pid[found.n++] = atoi(one);
  return found;
}

static void add_threads(int pid, ProcessCost *cost) {
  char path[128];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *threads = opendir(path);
  if (!threads) return;
  for (struct dirent *thread; (thread = readdir(threads));) {
    if (thread->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%.16s/schedstat", pid, thread->d_name);
    FILE *f = fopen(path, "r");
    if (!f) continue;
    unsigned long long ns;
    if (fscanf(f, "%llu", &ns) == 1) cost->cpu_s += (double)ns / 1e9;
    fclose(f);
  }
  closedir(threads);
}

static void add_ticks(int pid, ProcessCost *cost) {
  char path[64], b[4096];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *f = fopen(path, "r");
  if (!f) return;
  b[fread(b, 1, sizeof b - 1, f)] = 0;
  fclose(f);
  /* The second field is the program's name in parentheses, which may hold spaces. */
  char *rest = strrchr(b, ')');
  unsigned long user = 0, sys = 0;
  if (rest) sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &sys);
  double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
  cost->user_s += (double)user * tick;
  cost->sys_s += (double)sys * tick;
}

static void add_memory(int pid, ProcessCost *cost) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  FILE *f = fopen(path, "r");
  if (!f) return;
  long kb;
  while (fgets(line, sizeof line, f))
    if (sscanf(line, "VmRSS: %ld", &kb) == 1) cost->rss_kb += kb;
  fclose(f);
}

ProcessCost cost_of(const Processes *processes) {
  ProcessCost cost = {0};
  for (int i = 0; i < processes->n; i++) {
    add_threads(processes->pid[i], &cost);
    add_ticks(processes->pid[i], &cost);
    add_memory(processes->pid[i], &cost);
  }
  return cost;
}
