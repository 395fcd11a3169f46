#include "ended.h"
#include <stdio.h>
#include <stdlib.h>

static FILE *file;

void open_log(const char *path) {
  if (!path) return;
  file = fopen(path, "w");
  if (file) return;
  perror("loadgen: log");
  exit(1);
}

const char *ending_of(const Reply *r, int arrived, int good) {
  if (!arrived) return r->status == 200 ? "broken" : "unanswered";
  if (good) return "whole";
  return r->status == 200 ? "error" : "refused";
}

void log_ended(const char *how, const Reply *r) {
  if (!file) return;
  fprintf(file, "%s %s %d %d\n", r->id[0] ? r->id : "-", how, r->status, r->content);
}

void close_log(void) {
  if (file) fclose(file);
}
