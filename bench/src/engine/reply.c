/* Replies in vLLM's layout. A stream and a JSON reply of the same model tell the same text. */
#include <stdio.h>
#include <string.h>
#include "../clock.h"
#include "engine.h"

#define CREATED 1763078400
#define PROMPT_TOKENS 100
#define STAMP_BYTES 18
/* A reader that is this far behind is waited for. */
#define UNSENT_MAX 65536

/* Tokens as they look in JSON: short ones, escapes, and characters of two and four bytes. */
static const char *tokens[] = {
    " the",   " of",   " a",      " model",  " that",  " answers",        ",",
    " and",   " it",   " is",     ".",       "\\n\\n", " \\\"quoted\\\"", " caf\xc3\xa9",
    " \xf0\x9f\x98\x80", " in",   " which",  " every", " request",        " has",
    " been",  " counted", " once", ";",      " then",  " 12",             "34",
    " tokens", " per", " second", ":",       " done"};
#define TOKENS (int)(sizeof tokens / sizeof *tokens)

void put_plain(Conn *c, const char *status, const char *body) {
  char head[256];
  int n = snprintf(head, sizeof head,
                   "HTTP/1.1 %s\r\ncontent-type: application/json\r\ncontent-length: %zu\r\n\r\n",
                   status, strlen(body));
  put(c, head, (size_t)n);
  put_text(c, body);
}

/* The time at which the chunk is written, between two @, and then its token. */
static int chunk_text(char *s, size_t n, int number) {
  return snprintf(s, n, "@%016llx@%s", (unsigned long long)now_ns(), tokens[number % TOKENS]);
}

static void put_http_chunk(Conn *c, const char *s, int n) {
  char size[16];
  put(c, size, (size_t)snprintf(size, sizeof size, "%x\r\n", (unsigned)n));
  put(c, s, (size_t)n);
  put(c, "\r\n", 2);
}

static int usage_text(char *s, size_t n, int completion) {
  return snprintf(s, n,
                  ",\"usage\":{\"prompt_tokens\":%d,\"total_tokens\":%d,\"completion_tokens\":%d}",
                  PROMPT_TOKENS, PROMPT_TOKENS + completion, completion);
}

static void put_event(Conn *c, const char *choices, int with_usage) {
  char b[1024], usage[160] = "";
  if (with_usage) usage_text(usage, sizeof usage, c->sent);
  int n = snprintf(b, sizeof b,
                   "data: {\"id\":\"%s\",\"object\":\"chat.completion.chunk\",\"created\":%d,"
                   "\"model\":\"%s\",\"choices\":[%s]%s}\n\n",
                   c->id, CREATED, c->model, choices, usage);
  put_http_chunk(c, b, n);
}

static void put_delta(Conn *c, const char *delta, const char *finish) {
  char choice[512];
  snprintf(choice, sizeof choice,
           "{\"index\":0,\"delta\":%s,\"logprobs\":null,\"finish_reason\":%s}", delta, finish);
  put_event(c, choice, c->counting);
}

static void put_content(Conn *c) {
  char delta[256], s[64];
  chunk_text(s, sizeof s, c->sent);
  const char *member = c->sent < c->plan.reasoning ? "reasoning_content" : "content";
  snprintf(delta, sizeof delta, "{\"%s\":\"%s\"}", member, s);
  c->sent++;
  put_delta(c, delta, "null");
}

static void end_stream(Conn *c) {
  put_delta(c, "{}", "\"stop\"");
  if (c->usage) put_event(c, "", 1);
  put_http_chunk(c, "data: [DONE]\n\n", 14);
  put_text(c, "0\r\n\r\n");
  c->answering = NOTHING;
}

static void go_on_later(Conn *c) {
  if (c->plan.delay_ms) schedule(c, c->due_ms + (uint64_t)c->plan.delay_ms);
  else run_next_turn(c);
}

static void put_next_write(Conn *c) {
  if (c->sent == 0) {
    put_text(c, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
                "transfer-encoding: chunked\r\n\r\n");
    put_delta(c, "{\"role\":\"assistant\",\"content\":\"\"}", "null");
  }
  for (int i = 0; i < c->plan.burst && c->sent < c->plan.chunks; i++) put_content(c);
  if (c->sent >= c->plan.chunks) end_stream(c);
  else go_on_later(c);
}

static void put_json(Conn *c) {
  char head[160], start[512], end[512], usage[160], s[64];
  int chunks = c->plan.chunks;
  int start_len = snprintf(start, sizeof start,
                           "{\"id\":\"%s\",\"object\":\"chat.completion\",\"created\":%d,"
                           "\"model\":\"%s\",\"choices\":[{\"index\":0,\"message\":"
                           "{\"role\":\"assistant\",\"content\":\"",
                           c->id, CREATED, c->model);
  usage_text(usage, sizeof usage, chunks);
  int end_len = snprintf(end, sizeof end,
                         "\",\"refusal\":null,\"reasoning_content\":null,\"tool_calls\":[]},"
                         "\"logprobs\":null,\"finish_reason\":\"stop\"}]%s}",
                         usage);
  size_t text_len = 0;
  for (int i = 0; i < chunks; i++) text_len += STAMP_BYTES + strlen(tokens[i % TOKENS]);
  int n = snprintf(head, sizeof head,
                   "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                   "content-length: %zu\r\n\r\n",
                   (size_t)start_len + text_len + (size_t)end_len);
  put(c, head, (size_t)n);
  put(c, start, (size_t)start_len);
  for (int i = 0; i < chunks; i++) put(c, s, (size_t)chunk_text(s, sizeof s, i));
  put(c, end, (size_t)end_len);
  c->answering = NOTHING;
}

int advance(Conn *c) {
  if (c->answering == JSON) put_json(c);
  else if (c->out_len > UNSENT_MAX) go_on_later(c);
  else put_next_write(c);
  if (!flush(c)) return 0;
  return c->answering == NOTHING && c->in_len ? parse_input(c) : 1;
}
