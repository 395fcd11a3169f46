#ifndef REPLY_H
#define REPLY_H
#include <stdint.h>

/* A merged event is longer than one of the engine's; what does not fit is not looked at. */
#define LINE_MAX_BYTES 32768
#define HEAD_MAX_BYTES 16384
#define ID_MAX_BYTES 64

typedef enum { HEAD, BODY, WHOLE, BROKEN } ReplyState;
typedef enum { SIZE, DATA, AFTER_DATA, TRAILER } ChunkState;

/* One reply as it arrives. */
typedef struct {
  ReplyState state;
  int status, chunked, keep_alive, sse;
  long remaining; /* of the body or of the HTTP chunk; -1 is until the connection closes */
  ChunkState chunk_state;
  long chunk_size;
  int trailer_len;
  int content;   /* stamped chunks so far */
  int done;      /* the end marker came */
  int error;     /* an error event came */
  uint64_t first_ns, last_ns; /* of content; of a JSON reply, of its body */
  int line_len, head_len;
  char id[ID_MAX_BYTES]; /* x-request-id, or empty */
  char line[LINE_MAX_BYTES];
  char head[HEAD_MAX_BYTES];
} Reply;

void reply_begin(Reply *r);
void reply_read(Reply *r, const char *bytes, long n, uint64_t now);
/* The connection closed; whether that was the reply's proper end. */
int reply_closed(const Reply *r);

/* Called for every stamped chunk, with the time that its stamp says. */
void on_content(Reply *r, uint64_t stamp_ns, uint64_t now);
#endif
