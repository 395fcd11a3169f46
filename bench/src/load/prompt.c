#include "prompt.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *plain[] = {
    "Tell me in plain words what a gateway has to do and what it must not do. ",
    "The report of last week says that the second engine answered more slowly than the first. ",
    "She asked: \\\"How many requests were refused, and why?\\\" ",
    "Nobody had looked at the figures of Tuesday, so nobody knew. ",
    "Compare the two tables below and name the rows that differ by more than 5 %. ",
    "The limit is 1,000 tokens per minute; the key of the project has used 640 of them. ",
    "First list the facts, then say which of them you are sure of (and which you are not). ",
    "That is all for this part.\\n\\n",
    "- an item of a list, with a path such as src/main.ts\\n",
};
static const char *other[] = {
    "Le café près de l'été coûte 3 € à l'élève déçu. ",
    "Скажи простыми словами, что должен делать шлюз и чего он делать не должен. ",
    "ゲートウェイは何をし、何をしてはならないのか。",
    "Größe und Maß stimmen überein 😀, schrieb er: \\\"ganz genau\\\".\\n",
};
#define LENGTH_OF(list) (sizeof list / sizeof *list)

/* The order is the same in every run, and does not repeat as a cycle would. */
static const char *next_sentence(uint32_t *state, int non_ascii) {
  *state = *state * 1664525u + 1013904223u;
  uint32_t number = *state >> 8;
  if (non_ascii && number % 2) return other[number / 2 % LENGTH_OF(other)];
  return plain[number / 2 % LENGTH_OF(plain)];
}

char *make_prompt(size_t bytes, int non_ascii) {
  char *prompt = malloc(bytes + 256);
  size_t length = 0;
  for (uint32_t state = 1; length < bytes;) {
    const char *sentence = next_sentence(&state, non_ascii);
    size_t n = strlen(sentence);
    memcpy(prompt + length, sentence, n);
    length += n;
  }
  prompt[length] = 0;
  return prompt;
}
