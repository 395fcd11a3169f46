#ifndef ENDED_H
#define ENDED_H
#include "reply.h"

/* The log of ended requests: a line for each that was sent, with its x-request-id or "-", how it ended, its
 * status and its stamped chunks. It ended
 *   whole       as it should
 *   error       with an error event, or without its end marker or the expected chunks
 *   refused     with another status than 200
 *   broken      because the connection closed after the status
 *   unanswered  because the connection closed before it
 *   left        because we closed the connection */

void open_log(const char *path);
const char *ending_of(const Reply *r, int arrived, int good);
void log_ended(const char *how, const Reply *r);
void close_log(void);
#endif
