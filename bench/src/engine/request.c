/* Requests. JSON is scanned for the few members that matter, which is enough for a load tool. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include "../clock.h"
#include "engine.h"

static const Plan usual = {.chunks = 64, .burst = 1};

static const char *find(const char *in, size_t n, const char *needle) {
  return memmem(in, n, needle, strlen(needle));
}

static const char *json_value(const char *b, size_t n, const char *member) {
  char quoted[40];
  snprintf(quoted, sizeof quoted, "\"%s\"", member);
  const char *p = b, *end = b + n;
  while ((p = find(p, (size_t)(end - p), quoted))) {
    p += strlen(quoted);
    while (p < end && strchr(" \n\t", *p)) p++;
    if (p == end || *p != ':') continue;
    for (p++; p < end && strchr(" \n\t", *p); p++) {}
    return p < end ? p : NULL;
  }
  return NULL;
}

static int is_true(const char *b, size_t n, const char *member) {
  const char *value = json_value(b, n, member);
  return value && *value == 't';
}

static Plan read_plan(const char *model) {
  Plan plan = usual;
  for (const char *dash = strchr(model, '-'); dash; dash = strchr(dash + 1, '-')) {
    if (!dash[1]) break;
    int value = atoi(dash + 2);
    switch (dash[1]) {
      case 'c': plan.chunks = value; break;
      case 'd': plan.delay_ms = value; break;
      case 'f': plan.first_ms = value; break;
      case 'b': plan.burst = value; break;
      case 'r': plan.reasoning = value; break;
    }
  }
  if (plan.burst < 1) plan.burst = 1;
  if (plan.chunks < 1) plan.chunks = 1;
  return plan;
}

/* From the first write of a stream to its last: its JSON reply takes as long. */
static uint64_t stream_ms(const Plan *plan) {
  int writes = (plan->chunks + plan->burst - 1) / plan->burst;
  return (uint64_t)(writes - 1) * (uint64_t)plan->delay_ms;
}

static void begin_chat(Conn *c, const char *b, size_t n) {
  static unsigned long long next_id;
  size_t length = 0;
  const char *model = json_value(b, n, "model");
  if (model && *model == '"')
    for (model++; model < b + n && *model != '"' && length < sizeof c->model - 1; model++)
      c->model[length++] = *model;
  c->model[length] = 0;
  c->plan = read_plan(c->model);
  snprintf(c->id, sizeof c->id, "chatcmpl-%032llx", ++next_id);
  c->usage = is_true(b, n, "include_usage");
  c->counting = c->usage && is_true(b, n, "continuous_usage_stats");
  c->sent = 0;
  c->due_ms = now_ns() / 1000000;
  c->answering = is_true(b, n, "stream") ? STREAM : JSON;
  uint64_t wait_ms = (uint64_t)c->plan.first_ms;
  if (c->answering == JSON) wait_ms += stream_ms(&c->plan);
  if (wait_ms) schedule(c, c->due_ms + wait_ms);
}

static int ends_with(const char *path, size_t n, const char *ending) {
  size_t length = strlen(ending);
  return n >= length && !memcmp(path + n - length, ending, length);
}

static void answer(Conn *c, const char *head, const char *head_end, const char *b, size_t n) {
  const char *path = memchr(head, ' ', (size_t)(head_end - head));
  const char *end = path ? memchr(path + 1, ' ', (size_t)(head_end - path - 1)) : NULL;
  size_t length = end ? (size_t)(end - ++path) : 0;
  if (*head == 'P' && ends_with(path, length, "/chat/completions")) begin_chat(c, b, n);
  else if (ends_with(path, length, "/models"))
    put_plain(c, "200 OK", "{\"object\":\"list\",\"data\":[{\"id\":\"fake\",\"object\":\"model\","
                           "\"created\":0,\"owned_by\":\"fake\"}]}");
  else if (ends_with(path, length, "/health")) put_plain(c, "200 OK", "{}");
  else
    put_plain(c, "404 Not Found", "{\"error\":{\"message\":\"not found\","
                                  "\"type\":\"invalid_request_error\",\"param\":null,"
                                  "\"code\":null}}");
}

/* Joins the chunks of a body in place. Returns the bytes it took, or 0 when more must come. */
static size_t dechunk(char *b, size_t n, size_t *body_len) {
  if (n < 5 || memcmp(b + n - 5, "0\r\n\r\n", 5)) return 0;
  size_t read = 0, written = 0;
  for (;;) {
    char *newline = memchr(b + read, '\n', n - read);
    if (!newline) return 0;
    size_t size = strtoul(b + read, NULL, 16);
    read = (size_t)(newline - b) + 1;
    if (read + size + 2 > n) return 0;
    if (!size) {
      *body_len = written;
      return read + 2;
    }
    memmove(b + written, b + read, size);
    written += size;
    read += size + 2;
  }
}

int parse_input(Conn *c) {
  while (c->in_len && c->answering == NOTHING) {
    const char *head_end = find(c->in, c->in_len, "\r\n\r\n");
    if (!head_end) return 1;
    size_t head = (size_t)(head_end - c->in) + 4, body = 0, taken = 0;
    int chunked = 0;
    for (const char *line = c->in; line < head_end; line++) {
      if (!strncasecmp(line, "content-length:", 15)) body = strtoul(line + 15, NULL, 10);
      else if (!strncasecmp(line, "transfer-encoding:", 18)) chunked = 1;
      line = memchr(line, '\n', (size_t)(head_end + 2 - line));
      if (!line) break;
    }
    if (chunked) taken = dechunk(c->in + head, c->in_len - head, &body);
    else if (head + body <= c->in_len) taken = body;
    if (head + taken > c->in_len || (!taken && (chunked || body))) return 1;
    answer(c, c->in, head_end, c->in + head, body);
    c->in_len -= head + taken;
    memmove(c->in, c->in + head + taken, c->in_len);
    if (c->answering != NOTHING) return c->scheduled == UNSCHEDULED ? advance(c) : 1;
    if (!flush(c)) return 0;
  }
  return 1;
}

int on_read(Conn *c) {
  for (;;) {
    if (c->in_cap - c->in_len < 4096) {
      c->in_cap = c->in_cap ? c->in_cap * 2 : 8192;
      c->in = realloc(c->in, c->in_cap);
    }
    size_t room = c->in_cap - c->in_len;
    ssize_t n = recv(c->fd, c->in + c->in_len, room, 0);
    if (n < 0 && errno == EAGAIN) return 1;
    if (n <= 0) return 0;
    c->in_len += (size_t)n;
    if ((size_t)n < room) return parse_input(c);
  }
}
