/* fake-engine PORT: a chat-completions server that does no inference, for measuring only.
 *
 * It answers any path that ends in /chat/completions, /models or /health. The model's name in a
 * request says what is sent for it; engine.h names the letters. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include "engine.h"

#define BACKLOG 4096
#define EVENTS_MAX 256

static volatile sig_atomic_t stopping;
static void on_stop(int signal_number) {
  (void)signal_number;
  stopping = 1;
}

static int listen_on(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (!bind(fd, (struct sockaddr *)&address, sizeof address) && !listen(fd, BACKLOG)) return fd;
  perror("fake-engine: listen");
  exit(1);
}

static void serve(Conn *c, uint32_t events) {
  int here = !(events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP));
  if (here && (events & EPOLLOUT)) here = flush(c);
  if (here && (events & EPOLLIN)) here = on_read(c);
  if (!here) drop(c);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: fake-engine PORT\n");
    return 2;
  }
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  signal(SIGTERM, on_stop);
  signal(SIGINT, on_stop);
  int listener = listen_on(atoi(argv[1]));
  open_poll(listener);
  struct epoll_event events[EVENTS_MAX];
  while (!stopping) {
    int n = epoll_wait(poll_fd(), events, EVENTS_MAX, poll_timeout_ms());
    for (int i = 0; i < n; i++) {
      if (events[i].data.ptr) serve(events[i].data.ptr, events[i].events);
      else accept_all(listener);
    }
    run_due();
  }
  return 0;
}
