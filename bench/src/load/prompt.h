#ifndef PROMPT_H
#define PROMPT_H
#include <stddef.h>

/* Prose of about so many bytes as it looks in a JSON string: quotes and line ends are escaped. */
char *make_prompt(size_t bytes, int non_ascii);
#endif
