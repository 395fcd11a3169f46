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
  double warmup_s, duration_s;
  const char *path, *model;
  char headers[8192];
  Processes target, engine;
} Options;

Options read_options(int argc, char **argv);
/* The whole request, which is the same every time. */
char *make_request(const Options *o, size_t *length);
#endif
