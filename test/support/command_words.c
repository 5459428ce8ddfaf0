/* command_words.c - see command_words.h. */

#include "support/command_words.h"

#include <assert.h>
#include <string.h>

void command_words_split(struct command_words *words, const char *line)
{
    char *to = words->text;
    words->count = 0;
    assert(strlen(line) < sizeof words->text);
    while (*line != '\0') {
        while (*line == ' ')
            line++;
        if (*line == '\0')
            break;
        assert(words->count < COMMAND_WORDS_MAX);
        words->words[words->count++] = to;
        int quoted = 0;
        for (; *line != '\0' && (quoted || *line != ' '); line++) {
            if (*line == '\'')
                quoted = !quoted;
            else
                *to++ = *line;
        }
        *to++ = '\0';
    }
    words->words[words->count] = NULL;
}
