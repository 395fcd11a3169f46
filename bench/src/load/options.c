#include "options.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMPT_BYTES 400

static void refuse(void) {
  fprintf(stderr,
          "usage: loadgen --port P --path PATH --model NAME [--header 'NAME: VALUE']...\n"
          "  [--stream] [--usage] [--counting] [--expect CHUNKS] [--abort-percent N]\n"
          "  [--conns 16] [--stagger-ms 0] [--warmup 1] [--duration 5]\n"
          "  [--pid P1,P2] [--engine-pid P]\n");
  exit(2);
}

static void add_header(Options *o, const char *header) {
  size_t used = strlen(o->headers);
  size_t room = sizeof o->headers - used;
  if ((size_t)snprintf(o->headers + used, room, "%s\r\n", header) >= room) refuse();
}

Options read_options(int argc, char **argv) {
  Options o = {.conns = 16, .expect = -1, .warmup_s = 1, .duration_s = 5};
  for (int i = 1; i < argc; i++) {
    const char *name = argv[i];
    if (!strcmp(name, "--stream")) { o.stream = 1; continue; }
    if (!strcmp(name, "--usage")) { o.usage = 1; continue; }
    if (!strcmp(name, "--counting")) { o.usage = o.counting = 1; continue; }
    if (++i == argc) refuse();
    char *value = argv[i];
    if (!strcmp(name, "--port")) o.port = atoi(value);
    else if (!strcmp(name, "--path")) o.path = value;
    else if (!strcmp(name, "--model")) o.model = value;
    else if (!strcmp(name, "--header")) add_header(&o, value);
    else if (!strcmp(name, "--expect")) o.expect = atoi(value);
    else if (!strcmp(name, "--abort-percent")) o.abort_percent = atoi(value);
    else if (!strcmp(name, "--conns")) o.conns = atoi(value);
    else if (!strcmp(name, "--stagger-ms")) o.stagger_ms = atoi(value);
    else if (!strcmp(name, "--warmup")) o.warmup_s = atof(value);
    else if (!strcmp(name, "--duration")) o.duration_s = atof(value);
    else if (!strcmp(name, "--pid")) o.target = read_processes(value);
    else if (!strcmp(name, "--engine-pid")) o.engine = read_processes(value);
    else refuse();
  }
  if (!o.port || !o.path || !o.model || o.conns < 1) refuse();
  return o;
}

char *make_request(const Options *o, size_t *length) {
  const char *words = "Tell me in plain words what a gateway has to do and what it must not do. ";
  char prompt[PROMPT_BYTES + 1], body[PROMPT_BYTES + 1024], options[128] = "";
  for (int i = 0; i < PROMPT_BYTES; i++) prompt[i] = words[(size_t)i % strlen(words)];
  prompt[PROMPT_BYTES] = 0;
  if (o->stream && o->usage)
    snprintf(options, sizeof options, ",\"stream_options\":{\"include_usage\":true%s}",
             o->counting ? ",\"continuous_usage_stats\":true" : "");
  int n = snprintf(body, sizeof body,
                   "{\"model\":\"%s\",\"messages\":[{\"role\":\"system\",\"content\":"
                   "\"You are a helpful assistant.\"},{\"role\":\"user\",\"content\":\"%s\"}],"
                   "\"temperature\":0.7,\"max_completion_tokens\":1024%s%s}",
                   o->model, prompt, o->stream ? ",\"stream\":true" : "", options);
  if (n >= (int)sizeof body) refuse();
  size_t size = sizeof body + sizeof o->headers + strlen(o->path) + 256;
  char *request = malloc(size);
  *length = (size_t)snprintf(request, size,
                             "POST %s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\nuser-agent: loadgen\r\n"
                             "accept: */*\r\ncontent-type: application/json\r\n%s"
                             "content-length: %d\r\n\r\n%s",
                             o->path, o->port, o->headers, n, body);
  return request;
}
