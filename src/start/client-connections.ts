/** A connection costs memory and an open file; a process that serves more should be two. */
export const CLIENT_CONNECTIONS_MAX = 16_384
