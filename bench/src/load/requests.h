#ifndef REQUESTS_H
#define REQUESTS_H
#include <stddef.h>
#include "options.h"

typedef struct {
  char *text;
  size_t len;
} Request;

typedef struct {
  Request *each; /* one for each API key */
  int n;
} Requests;

/* Ends the program if there is no key in the file that the options name. */
Requests prepare_requests(const Options *o);
#endif
