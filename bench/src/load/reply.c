/* Reading HTTP replies, and in them events, and in those the engine's stamps. */
#define _GNU_SOURCE
#include "reply.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define STAMP_BYTES 18 /* 16 digits between two @ */

void reply_begin(Reply *r) {
  r->state = HEAD;
  r->status = r->chunked = r->sse = 0;
  r->keep_alive = 1;
  r->remaining = -1;
  r->chunk_state = SIZE;
  r->chunk_size = 0;
  r->trailer_len = r->content = r->done = r->error = r->line_len = r->head_len = 0;
  r->first_ns = r->last_ns = 0;
  r->id[0] = 0;
}

int reply_closed(const Reply *r) {
  return r->state == BODY && !r->chunked && r->remaining < 0;
}

/* A gateway may merge several of the engine's chunks into one event, so all stamps count. */
static void read_line(Reply *r, uint64_t now) {
  const char *line = r->line, *end = line + r->line_len;
  size_t n = (size_t)r->line_len;
  if (n < 5 || memcmp(line, "data:", 5)) return;
  if (memmem(line, n < 16 ? n : 16, "[DONE]", 6)) r->done = 1;
  if (memmem(line, n < 20 ? n : 20, "{\"error\"", 8)) r->error = 1;
  for (const char *p = line; (p = memchr(p, '@', (size_t)(end - p)));) {
    if (end - p < STAMP_BYTES || p[STAMP_BYTES - 1] != '@') {
      p++;
      continue;
    }
    uint64_t stamp_ns = strtoull(p + 1, NULL, 16);
    if (!r->content++) r->first_ns = now;
    on_content(r, stamp_ns, now);
    r->last_ns = now;
    p += STAMP_BYTES;
  }
}

static void read_text(Reply *r, const char *b, long n, uint64_t now) {
  if (!r->sse) {
    if (!r->first_ns) r->first_ns = now;
    return;
  }
  while (n > 0) {
    const char *newline = memchr(b, '\n', (size_t)n);
    long length = newline ? newline - b : n;
    long room = LINE_MAX_BYTES - r->line_len, kept = length < room ? length : room;
    memcpy(r->line + r->line_len, b, (size_t)kept);
    r->line_len += (int)kept;
    if (!newline) return;
    if (r->line_len) read_line(r, now);
    r->line_len = 0;
    b += length + 1;
    n -= length + 1;
  }
}

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 32;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One byte of the framing around chunks. */
static void read_frame(Reply *r, char c) {
  switch (r->chunk_state) {
    case SIZE:
      if (c == '\n') {
        r->remaining = r->chunk_size;
        r->chunk_state = r->chunk_size ? DATA : TRAILER;
        r->chunk_size = 0;
      } else if (digit_of(c) >= 0) {
        r->chunk_size = r->chunk_size * 16 + digit_of(c);
      }
      break;
    case AFTER_DATA:
      if (c == '\n') r->chunk_state = SIZE;
      break;
    case TRAILER:
      if (c == '\n' && !r->trailer_len) r->state = WHOLE;
      else if (c == '\n') r->trailer_len = 0;
      else if (c != '\r') r->trailer_len++;
      break;
    case DATA: break;
  }
}

static void read_body(Reply *r, const char *b, long n, uint64_t now) {
  if (!r->chunked && r->remaining < 0) {
    read_text(r, b, n, now);
    return;
  }
  while (n > 0 && r->state == BODY) {
    if (r->chunked && r->chunk_state != DATA) {
      read_frame(r, *b++);
      n--;
      continue;
    }
    long taken = n < r->remaining ? n : r->remaining;
    read_text(r, b, taken, now);
    b += taken;
    n -= taken;
    r->remaining -= taken;
    if (r->remaining) continue;
    if (r->chunked) r->chunk_state = AFTER_DATA;
    else r->state = WHOLE;
  }
}

static void read_headers(Reply *r, char *end) {
  r->status = atoi(r->head + 9);
  for (char *line = r->head, *next; line < end; line = next + 1) {
    next = memchr(line, '\n', (size_t)(end + 2 - line));
    if (!next) break;
    size_t n = (size_t)(next - line);
    if (!strncasecmp(line, "content-length:", 15)) r->remaining = atol(line + 15);
    else if (!strncasecmp(line, "transfer-encoding:", 18)) r->chunked = 1;
    else if (!strncasecmp(line, "content-type:", 13)) r->sse = !!memmem(line, n, "event-st", 8);
    else if (!strncasecmp(line, "x-request-id:", 13)) sscanf(line + 13, " %63[^\r\n]", r->id);
    else if (!strncasecmp(line, "connection:", 11)) r->keep_alive = !memmem(line, n, "close", 5);
  }
  r->state = !r->chunked && r->remaining == 0 ? WHOLE : BODY;
}

void reply_read(Reply *r, const char *bytes, long n, uint64_t now) {
  if (r->state == HEAD) {
    long room = HEAD_MAX_BYTES - r->head_len - 1, taken = n < room ? n : room;
    memcpy(r->head + r->head_len, bytes, (size_t)taken);
    r->head[r->head_len + taken] = 0;
    char *end = memmem(r->head, (size_t)(r->head_len + taken), "\r\n\r\n", 4);
    if (!end) {
      r->head_len += (int)taken;
      if (taken == room) r->state = BROKEN;
      return;
    }
    read_headers(r, end);
    long used = end + 4 - r->head - r->head_len;
    bytes += used;
    n -= used;
  }
  if (r->state == BODY && n > 0) read_body(r, bytes, n, now);
}
