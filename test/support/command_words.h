/* command_words.h - the words of a command line that is written in one text. */
#ifndef KVC_TEST_SUPPORT_COMMAND_WORDS_H
#define KVC_TEST_SUPPORT_COMMAND_WORDS_H

#include <stddef.h>

#define COMMAND_WORDS_MAX 64

struct command_words {
    char text[1024];
    char *words[COMMAND_WORDS_MAX + 1];
    size_t count;
};

/* Parts at blanks; what stands between two apostrophes is one word. */
void command_words_split(struct command_words *words, const char *line);

#endif /* KVC_TEST_SUPPORT_COMMAND_WORDS_H */
