#include "options.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "prompt.h"

static void refuse(void) {
  fprintf(stderr,
          "usage: loadgen --port P --path PATH --model NAME [--header 'NAME: VALUE']...\n"
          "  [--stream] [--usage] [--counting] [--expect CHUNKS]\n"
          "  [--abort-percent N] [--abort-within 32] [--prompt-bytes 400] [--non-ascii]\n"
          "  [--all-open]\n"
          "  [--conns 16] [--stagger-ms 0] [--warmup 1] [--duration 5]\n"
          "  [--keys FILE] [--log FILE] [--retry-ms 0] [--pid P1,P2] [--engine-pid P]\n");
  exit(2);
}

static void add_header(Options *o, const char *header) {
  size_t used = strlen(o->headers);
  size_t room = sizeof o->headers - used;
  if ((size_t)snprintf(o->headers + used, room, "%s\r\n", header) >= room) refuse();
}

Options read_options(int argc, char **argv) {
  Options o = {.conns = 16, .expect = -1, .warmup_s = 1, .duration_s = 5,
               .abort_within = 32, .prompt_bytes = 400};
  for (int i = 1; i < argc; i++) {
    const char *name = argv[i];
    if (!strcmp(name, "--stream")) { o.stream = 1; continue; }
    if (!strcmp(name, "--usage")) { o.usage = 1; continue; }
    if (!strcmp(name, "--counting")) { o.usage = o.counting = 1; continue; }
    if (!strcmp(name, "--all-open")) { o.all_open = 1; continue; }
    if (!strcmp(name, "--non-ascii")) { o.non_ascii = 1; continue; }
    if (++i == argc) refuse();
    char *value = argv[i];
    if (!strcmp(name, "--port")) o.port = atoi(value);
    else if (!strcmp(name, "--path")) o.path = value;
    else if (!strcmp(name, "--model")) o.model = value;
    else if (!strcmp(name, "--header")) add_header(&o, value);
    else if (!strcmp(name, "--expect")) o.expect = atoi(value);
    else if (!strcmp(name, "--abort-percent")) o.abort_percent = atoi(value);
    else if (!strcmp(name, "--abort-within")) o.abort_within = atoi(value);
    else if (!strcmp(name, "--prompt-bytes")) o.prompt_bytes = atoi(value);
    else if (!strcmp(name, "--conns")) o.conns = atoi(value);
    else if (!strcmp(name, "--stagger-ms")) o.stagger_ms = atoi(value);
    else if (!strcmp(name, "--warmup")) o.warmup_s = atof(value);
    else if (!strcmp(name, "--duration")) o.duration_s = atof(value);
    else if (!strcmp(name, "--keys")) o.keys = value;
    else if (!strcmp(name, "--log")) o.log = value;
    else if (!strcmp(name, "--retry-ms")) o.retry_ms = atoi(value);
    else if (!strcmp(name, "--pid")) o.target = read_processes(value);
    else if (!strcmp(name, "--engine-pid")) o.engine = read_processes(value);
    else refuse();
  }
  if (!o.port || !o.path || !o.model || o.conns < 1) refuse();
  if (o.abort_within < 1 || o.prompt_bytes < 1) refuse();
  return o;
}

char *make_request(const Options *o, const char *key, size_t *length) {
  char *prompt = make_prompt((size_t)o->prompt_bytes, o->non_ascii), options[128] = "";
  size_t body_size = strlen(prompt) + 1024;
  char *body = malloc(body_size);
  if (o->stream && o->usage)
    snprintf(options, sizeof options, ",\"stream_options\":{\"include_usage\":true%s}",
             o->counting ? ",\"continuous_usage_stats\":true" : "");
  int n = snprintf(body, body_size,
                   "{\"model\":\"%s\",\"messages\":[{\"role\":\"system\",\"content\":"
                   "\"You are a helpful assistant.\"},{\"role\":\"user\",\"content\":\"%s\"}],"
                   "\"temperature\":0.7,\"max_completion_tokens\":1024%s%s}",
                   o->model, prompt, o->stream ? ",\"stream\":true" : "", options);
  if ((size_t)n >= body_size) refuse();
  char authorization[256] = "";
  if (key) snprintf(authorization, sizeof authorization, "authorization: Bearer %s\r\n", key);
  size_t size = body_size + sizeof o->headers + strlen(o->path) + 512;
  char *request = malloc(size);
  *length = (size_t)snprintf(request, size,
                             "POST %s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\nuser-agent: loadgen\r\n"
                             "accept: */*\r\ncontent-type: application/json\r\n%s%s"
                             "content-length: %d\r\n\r\n%s",
                             o->path, o->port, authorization, o->headers, n, body);
  free(prompt);
  free(body);
  return request;
}
