/* secret.c - see secret.h for the room and its promises. */

#include "command/secret.h"

#define TOKEN_LETTERS_MIN 20 /* shorter ones are names of things */

static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool ends_with(struct kvc_span name, const char *word)
{
    size_t length = kvc_span_of(word).length;
    if (name.length < length)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (folded(name.text[name.length - length + i]) != word[i])
            return false;
    }
    if (name.length == length)
        return true;
    char before = name.text[name.length - length - 1];
    return before == '-' || before == '_' || before == '.';
}

bool kvc_secret_name(struct kvc_span name)
{
    static const char *const PARTS[] = { "token",      "key",         "apikey",
                                         "secret",     "password",    "passwd",
                                         "credential", "credentials", "hft" };
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        if (ends_with(name, PARTS[i]))
            return true;
    }
    return false;
}

static bool is_token_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/* A prefix of tokens and nothing but their letters behind it. */
static bool is_token(struct kvc_span word, const char *prefix)
{
    if (!kvc_span_starts(word, prefix) || word.length < TOKEN_LETTERS_MIN)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        if (!is_token_letter(word.text[i]))
            return false;
    }
    return true;
}

/* scheme://user:password@host */
static bool has_password(struct kvc_span word)
{
    size_t at = 0;
    while (at + 3 <= word.length &&
           !(word.text[at] == ':' && word.text[at + 1] == '/' && word.text[at + 2] == '/'))
        at++;
    bool colon = false;
    for (at += 3; at < word.length && word.text[at] != '/'; at++) {
        if (word.text[at] == '@')
            return colon;
        colon = colon || word.text[at] == ':';
    }
    return false;
}

bool kvc_secret_word(struct kvc_span word)
{
    return is_token(word, "hf_") || is_token(word, "sk-") || has_password(word);
}
