#ifndef ENGINE_H
#define ENGINE_H
#include <stddef.h>
#include <stdint.h>

/* What a request gets. The model's name says it: fake-c256-d20 is 256 chunks, one each 20 ms. */
typedef struct {
  int chunks;    /* c: content chunks */
  int delay_ms;  /* d: between two writes, kept on schedule */
  int first_ms;  /* f: before the first */
  int burst;     /* b: chunks in one write, which is one packet */
  int reasoning; /* r: how many of the chunks are reasoning */
} Plan;

typedef enum { NOTHING, STREAM, JSON } Answering;
typedef enum { UNSCHEDULED, TIMED, RUNNABLE } Schedule;

typedef struct Conn {
  int fd;
  char *in;
  size_t in_len, in_cap;
  char *out;
  size_t out_len, out_off, out_cap;
  int want_write;
  Answering answering;
  Schedule scheduled;
  int sent;     /* content chunks so far */
  int usage;    /* counts are wanted at the end */
  int counting; /* counts are wanted in every chunk */
  Plan plan;
  char model[128], id[48];
  uint64_t due_ms;
  struct Conn *prev, *next;
} Conn;

/* connection.c: output and timers. Functions that return int return 0 when the client is gone. */
void open_poll(int listener);
int poll_fd(void);
void accept_all(int listener);
void drop(Conn *c);
void put(Conn *c, const char *bytes, size_t n);
void put_text(Conn *c, const char *text);
int flush(Conn *c);
void schedule(Conn *c, uint64_t due_ms);
void run_next_turn(Conn *c);
int poll_timeout_ms(void);
void run_due(void);

/* reply.c */
void put_plain(Conn *c, const char *status, const char *body);
int advance(Conn *c);

/* request.c */
int on_read(Conn *c);
int parse_input(Conn *c);
#endif
