/* Connections: what waits to be sent, and when each is to go on. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../clock.h"
#include "engine.h"

#define WHEEL 65536 /* slots of 1 ms: the longest delay is 65 s */
#define IDLE_MS 1000

static int ep;
static Conn *wheel[WHEEL];
static Conn *runnable; /* streams without a delay, which take turns */
static uint64_t wheel_ms; /* the last slot that was handled */
static size_t timers;

void open_poll(int listener) {
  ep = epoll_create1(0);
  struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(ep, EPOLL_CTL_ADD, listener, &e);
  wheel_ms = now_ns() / 1000000;
}

int poll_fd(void) { return ep; }

void accept_all(int listener) {
  int fd, one = 1;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    Conn *c = calloc(1, sizeof *c);
    c->fd = fd;
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = c};
    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
  }
}

static void reserve(Conn *c, size_t more) {
  if (c->out_len + more <= c->out_cap) return;
  if (c->out_off) {
    memmove(c->out, c->out + c->out_off, c->out_len - c->out_off);
    c->out_len -= c->out_off;
    c->out_off = 0;
  }
  while (c->out_len + more > c->out_cap) c->out_cap = c->out_cap ? c->out_cap * 2 : 2048;
  c->out = realloc(c->out, c->out_cap);
}

void put(Conn *c, const char *bytes, size_t n) {
  reserve(c, n);
  memcpy(c->out + c->out_len, bytes, n);
  c->out_len += n;
}

void put_text(Conn *c, const char *text) { put(c, text, strlen(text)); }

static void want_write(Conn *c, int wanted) {
  if (c->want_write == wanted) return;
  c->want_write = wanted;
  uint32_t events = EPOLLIN | EPOLLRDHUP | (wanted ? EPOLLOUT : 0);
  struct epoll_event e = {.events = events, .data.ptr = c};
  epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
}

int flush(Conn *c) {
  while (c->out_off < c->out_len) {
    ssize_t n = send(c->fd, c->out + c->out_off, c->out_len - c->out_off, MSG_NOSIGNAL);
    if (n < 0) {
      if (errno != EAGAIN) return 0;
      want_write(c, 1);
      return 1;
    }
    c->out_off += (size_t)n;
  }
  c->out_off = c->out_len = 0;
  want_write(c, 0);
  return 1;
}

static void link_to(Conn **head, Conn *c) {
  c->prev = NULL;
  c->next = *head;
  if (*head) (*head)->prev = c;
  *head = c;
}

void schedule(Conn *c, uint64_t due_ms) {
  c->due_ms = due_ms > wheel_ms ? due_ms : wheel_ms + 1;
  c->scheduled = TIMED;
  link_to(&wheel[c->due_ms % WHEEL], c);
  timers++;
}

void run_next_turn(Conn *c) {
  c->scheduled = RUNNABLE;
  link_to(&runnable, c);
}

static void unschedule(Conn *c) {
  if (c->scheduled == UNSCHEDULED) return;
  Conn **head = c->scheduled == TIMED ? &wheel[c->due_ms % WHEEL] : &runnable;
  if (c->prev) c->prev->next = c->next;
  else *head = c->next;
  if (c->next) c->next->prev = c->prev;
  if (c->scheduled == TIMED) timers--;
  c->scheduled = UNSCHEDULED;
}

void drop(Conn *c) {
  unschedule(c);
  close(c->fd);
  free(c->in);
  free(c->out);
  free(c);
}

int poll_timeout_ms(void) { return runnable ? 0 : timers ? 1 : IDLE_MS; }

static void run_slot(uint64_t slot_ms) {
  for (Conn *c = wheel[slot_ms % WHEEL], *next; c; c = next) {
    next = c->next;
    if (c->due_ms > slot_ms) continue;
    unschedule(c);
    if (!advance(c)) drop(c);
  }
}

/* One write for each that is due or takes turns; then the network is looked at again. */
void run_due(void) {
  uint64_t now_ms = now_ns() / 1000000;
  if (timers) {
    while (wheel_ms < now_ms) run_slot(++wheel_ms);
  } else {
    wheel_ms = now_ms;
  }
  Conn *turn = runnable;
  runnable = NULL;
  for (Conn *next; turn; turn = next) {
    next = turn->next;
    turn->scheduled = UNSCHEDULED;
    turn->prev = turn->next = NULL;
    if (next) next->prev = NULL;
    if (!advance(turn)) drop(turn);
  }
}
