#include "../clock.h"
#include "process-cost.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

static double own_cpu_s(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
         (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

void raise_file_limit(void) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

Sample take_sample(const Processes *target, const Processes *engine) {
  return (Sample){cost_of(target), cost_of(engine), own_cpu_s(), now_ns()};
}

void print_costs(const Sample *a, const Sample *b, uint64_t requests, uint64_t content) {
  double wall = (double)(b->at_ns - a->at_ns) / 1e9;
  double cpu = b->target.cpu_s - a->target.cpu_s;
  double user = b->target.user_s - a->target.user_s, sys = b->target.sys_s - a->target.sys_s;
  printf(",\"cpu_util\":%.3f,\"cpu_user_share\":%.3f,\"rss_mib\":%.1f", cpu / wall,
         user + sys > 0 ? user / (user + sys) : 0, (double)b->target.rss_kb / 1024);
  if (requests) printf(",\"cpu_us_per_request\":%.2f", cpu * 1e6 / (double)requests);
  if (content) printf(",\"cpu_us_per_event\":%.3f", cpu * 1e6 / (double)content);
  printf(",\"engine_cpu_util\":%.3f", (b->engine.cpu_s - a->engine.cpu_s) / wall);
  printf(",\"loadgen_cpu_util\":%.3f", (b->own_s - a->own_s) / wall);
}
