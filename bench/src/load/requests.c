#include "requests.h"
#include <stdio.h>
#include <stdlib.h>

static void add_request(Requests *made, const Options *o, const char *key) {
  made->each = realloc(made->each, (size_t)(made->n + 1) * sizeof *made->each);
  Request *request = &made->each[made->n++];
  request->text = make_request(o, key, &request->len);
}

Requests prepare_requests(const Options *o) {
  Requests made = {.n = 0};
  if (!o->keys) {
    add_request(&made, o, NULL);
    return made;
  }
  FILE *file = fopen(o->keys, "r");
  char key[128];
  while (file && fscanf(file, "%127s", key) == 1) add_request(&made, o, key);
  if (file) fclose(file);
  if (made.n) return made;
  perror("loadgen: keys");
  exit(1);
}
