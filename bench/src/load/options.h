#ifndef OPTIONS_H
#define OPTIONS_H
#include <stddef.h>
#include "process-cost.h"

typedef struct {
  int port, conns, stream, usage, counting;
  int expect;        /* stamped chunks in every stream; -1 is any number */
  int abort_percent; /* of the streams, abandoned at some chunk */
  int abort_within;  /* the last chunk at which a stream is abandoned */
  int prompt_bytes;  /* of the user's message, as JSON */
  int all_open;      /* the window begins when every stream has begun */
  int non_ascii;     /* the prompt has characters of two to four bytes */
  int stagger_ms;    /* over which the first requests are spread */
  int retry_ms;      /* the longest wait after a reply that was not good; the wait is random */
  double warmup_s, duration_s;
  const char *path, *model;
  const char *keys; /* file with an API key on each line, which connections use in turn */
  const char *log;  /* file that gets a line for each ended request: see ended.h */
  char headers[8192];
  Processes target, engine;
} Options;

Options read_options(int argc, char **argv);
/* The whole request, which is the same every time, with the API key if that is not NULL. */
char *make_request(const Options *o, const char *key, size_t *length);
#endif
