/* loadgen: puts load on a chat-completions endpoint and prints what it saw as one JSON object.
 *
 * A closed loop on one thread: each connection sends its next request when the last one ended. A
 * reply counts as good only if its status is 200 and, for a stream, its end marker came, no error
 * event did, and it had the expected number of stamped chunks. Figures are of a window after the
 * warm-up; wrong replies count whenever they come. Ends with 3 if there was any, and at SIGTERM
 * before its time. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../clock.h"
#include "ended.h"
#include "histogram.h"
#include "options.h"
#include "reply.h"
#include "requests.h"

#define WRONG_REPLIES 3
#define HOPELESS 4
#define HOPELESS_REPLIES 200
#define EVENTS_MAX 512
#define POLL_MS 20
#define ALL_OPEN_TIMEOUT_NS 40000000000ull

typedef enum { IDLE, CONNECTING, SENDING, READING } ConnState;

typedef struct {
  Reply reply; /* first, so that a reply's connection is found */
  int fd;
  ConnState state;
  size_t sent;
  int abort_after; /* stamped chunks; 0 is never */
  const Request *request;
  uint64_t start_ns;
  uint64_t retry_ns; /* when a connection that waits goes on */
} Conn;

static Options o;
static int ep;
static Requests prepared;
static Conn **waiting; /* after a reply that was not good */
static int waiting_count;
static volatile sig_atomic_t stopping;
static uint64_t begin_ns, end_ns; /* the window */
static Histogram first, total, gap, transit;
static uint64_t requests, content, aborted; /* in the window */
static uint64_t replies, wrong_status, wrong_end, wrong_io; /* ever */
static int last_status;

static int in_window(uint64_t now) { return now >= begin_ns && now < end_ns; }

static void finish(Conn *c, int arrived);

static void watch(Conn *c, uint32_t events, int operation) {
  struct epoll_event e = {.events = events, .data.ptr = c};
  epoll_ctl(ep, operation, c->fd, &e);
}

static void open_connection(Conn *c) {
  int one = 1;
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)o.port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (connect(c->fd, (struct sockaddr *)&address, sizeof address) && errno != EINPROGRESS) {
    if (!o.retry_ms) perror("loadgen: connect"), exit(1);
    finish(c, 0);
    return;
  }
  c->state = CONNECTING;
  watch(c, EPOLLOUT | EPOLLIN, EPOLL_CTL_ADD);
}

static void close_connection(Conn *c) {
  close(c->fd);
  c->fd = -1;
  c->state = IDLE;
}

static void send_more(Conn *c) {
  const Request *request = c->request;
  while (c->sent < request->len) {
    ssize_t n = send(c->fd, request->text + c->sent, request->len - c->sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) {
      watch(c, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
      return;
    }
    if (n < 0) { /* A kept connection that the server has closed: the request takes a new one. */
      close_connection(c);
      c->sent = 0;
      open_connection(c);
      return;
    }
    c->sent += (size_t)n;
  }
  c->state = READING;
}

static void begin(Conn *c) {
  reply_begin(&c->reply);
  c->start_ns = now_ns();
  c->sent = 0;
  c->abort_after = rand() % 100 < o.abort_percent ? 1 + rand() % o.abort_within : 0;
  if (c->fd < 0) {
    open_connection(c);
    return;
  }
  c->state = SENDING;
  send_more(c);
}

void on_content(Reply *r, uint64_t stamp_ns, uint64_t now) {
  if (!in_window(now)) return;
  content++;
  histogram_add(&transit, now > stamp_ns ? now - stamp_ns : 0);
  if (r->content == 1) histogram_add(&first, now - ((Conn *)r)->start_ns);
  else if (r->last_ns != now) histogram_add(&gap, now - r->last_ns);
}

static void wait_to_retry(Conn *c) {
  if (c->fd >= 0) close_connection(c);
  c->retry_ns = now_ns() + (uint64_t)(1 + rand() % o.retry_ms) * 1000000;
  waiting[waiting_count++] = c;
}

static void retry_due(uint64_t now) {
  for (int i = waiting_count - 1; i >= 0; i--) {
    Conn *c = waiting[i];
    if (c->retry_ns > now) continue;
    waiting[i] = waiting[--waiting_count];
    begin(c);
  }
}

static void finish(Conn *c, int arrived) {
  const Reply *r = &c->reply;
  uint64_t now = now_ns();
  int complete = !o.stream || (r->done && !r->error && (o.expect < 0 || r->content == o.expect));
  int good = arrived && r->status == 200 && complete;
  replies++;
  if (!arrived) wrong_io++;
  else if (r->status != 200) wrong_status++, last_status = r->status;
  else if (!complete) wrong_end++;
  if (c->sent) log_ended(ending_of(r, arrived, good), r);
  if (!o.log && replies == HOPELESS_REPLIES && wrong_io + wrong_status + wrong_end == replies) {
    fprintf(stderr, "loadgen: no good reply among the first (status %d)\n", last_status);
    exit(HOPELESS);
  }
  if (good && in_window(now)) {
    requests++;
    histogram_add(&total, now - c->start_ns);
    if (!o.stream) histogram_add(&first, r->first_ns - c->start_ns);
  }
  c->state = IDLE;
  if (!arrived || !r->keep_alive) close_connection(c);
  if (good || !o.retry_ms) begin(c);
  else wait_to_retry(c);
}

static void abandon(Conn *c) {
  if (in_window(now_ns())) aborted++;
  log_ended("left", &c->reply);
  close_connection(c);
  begin(c);
}

static void on_read(Conn *c) {
  static char buffer[262144];
  for (;;) {
    ssize_t n = recv(c->fd, buffer, sizeof buffer, 0);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      int ended = n == 0 && reply_closed(&c->reply);
      c->reply.keep_alive = 0;
      finish(c, ended);
      return;
    }
    reply_read(&c->reply, buffer, n, now_ns());
    if (c->reply.state == WHOLE || c->reply.state == BROKEN) {
      finish(c, c->reply.state == WHOLE);
      return;
    }
    if (c->abort_after && c->reply.content >= c->abort_after) {
      abandon(c);
      return;
    }
    if ((size_t)n < sizeof buffer) return;
  }
}

static void on_event(Conn *c, uint32_t events) {
  if (c->fd < 0) return;
  if (c->state == CONNECTING) {
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error) {
      finish(c, 0);
      return;
    }
    c->state = SENDING;
  }
  if ((events & EPOLLOUT) && c->state == SENDING) {
    watch(c, EPOLLIN, EPOLL_CTL_MOD);
    send_more(c);
  }
  if (c->state == READING && (events & (EPOLLIN | EPOLLHUP | EPOLLERR))) on_read(c);
}

static void print_report(const Sample *a, const Sample *b) {
  double wall = (double)(b->at_ns - a->at_ns) / 1e9;
  printf("{\"wall_s\":%.3f,\"requests\":%llu,\"content\":%llu,\"aborted\":%llu", wall,
         (unsigned long long)requests, (unsigned long long)content, (unsigned long long)aborted);
  printf(",\"wrong\":{\"status\":%llu,\"last_status\":%d,\"end\":%llu,\"io\":%llu}",
         (unsigned long long)wrong_status, last_status, (unsigned long long)wrong_end,
         (unsigned long long)wrong_io);
  printf(",\"requests_per_s\":%.1f,\"events_per_s\":%.1f", (double)requests / wall,
         (double)content / wall);
  print_costs(a, b, requests, content);
  histogram_print("first", &first);
  histogram_print("total", &total);
  histogram_print("gap", &gap);
  histogram_print("transit", &transit);
  printf("}\n");
}

/* Whether the window may begin: with --all-open only when every stream has had its first chunk. */
static int is_ready(const Conn *conns, uint64_t waited_ns) {
  if (!o.all_open) return 1;
  int open = 0;
  for (int i = 0; i < o.conns; i++) open += conns[i].state == READING && conns[i].reply.content > 0;
  if (open < o.conns && waited_ns > ALL_OPEN_TIMEOUT_NS) {
    fprintf(stderr, "loadgen: only %d of %d streams have begun\n", open, o.conns);
    exit(HOPELESS);
  }
  return open == o.conns;
}

static Conn *make_connections(void) {
  Conn *conns = calloc((size_t)o.conns, sizeof *conns);
  waiting = calloc((size_t)o.conns, sizeof *waiting);
  for (int i = 0; i < o.conns; i++) {
    conns[i].fd = -1;
    conns[i].request = &prepared.each[i % prepared.n];
  }
  return conns;
}

static void on_stop(int signal_number) {
  (void)signal_number;
  stopping = 1;
}

int main(int argc, char **argv) {
  o = read_options(argc, argv);
  prepared = prepare_requests(&o);
  raise_file_limit();
  open_log(o.log);
  signal(SIGTERM, on_stop);
  ep = epoll_create1(0);
  Conn *conns = make_connections();
  uint64_t start_ns = now_ns(), warm_ns = start_ns + (uint64_t)(o.warmup_s * 1e9);
  begin_ns = end_ns = UINT64_MAX;
  Sample before = {0};
  struct epoll_event events[EVENTS_MAX];
  for (int started = 0;;) {
    uint64_t now = now_ns();
    double passed_ms = (double)(now - start_ns) / 1e6;
    while (started < o.conns && passed_ms * o.conns >= (double)o.stagger_ms * started)
      begin(&conns[started++]);
    if (!before.at_ns && now >= warm_ns && is_ready(conns, now - warm_ns)) {
      before = take_sample(&o.target, &o.engine);
      begin_ns = before.at_ns;
      end_ns = begin_ns + (uint64_t)(o.duration_s * 1e9);
    }
    if (now >= end_ns || stopping) break;
    retry_due(now);
    int n = epoll_wait(ep, events, EVENTS_MAX, started < o.conns ? 1 : POLL_MS);
    for (int i = 0; i < n; i++) on_event(events[i].data.ptr, events[i].events);
  }
  for (int i = 0; i < o.conns; i++)
    if (conns[i].state != IDLE && conns[i].sent) log_ended("left", &conns[i].reply);
  close_log();
  Sample after = take_sample(&o.target, &o.engine);
  print_report(&before, &after);
  return wrong_status + wrong_end + wrong_io ? WRONG_REPLIES : 0;
}
