/* place_text.c - see place_text.h. */

#include "support/place_text.h"

#include <ctype.h>
#include <string.h>

static bool is_host_character(char c)
{
    return isalnum((unsigned char)c) || c == '.' || c == '-';
}

/* What stands before the slash is a host: letters, digits and dashes, with a dot between them. */
static bool host_ends_at(const char *text, const char *slash)
{
    const char *begin = slash;
    while (begin > text && is_host_character(begin[-1]))
        begin--;
    const char *dot = memchr(begin, '.', (size_t)(slash - begin));
    return dot != NULL && dot > begin && dot + 2 < slash;
}

bool has_address(const char *text)
{
    for (const char *slash = strchr(text, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        if (host_ends_at(text, slash) && isalnum((unsigned char)slash[1]))
            return true;
    }
    return false;
}

static bool is_hash(const char *text)
{
    return text[0] == '@' && strspn(text + 1, "0123456789abcdef") >= 7;
}

/* '0' stands for any digit; every other character for itself. */
static bool matches(const char *text, const char *form)
{
    for (; *form != '\0'; text++, form++) {
        if (*form == '0' ? !isdigit((unsigned char)*text) : *text != *form)
            return false;
    }
    return true;
}

/* A v that begins a word, with a number and a dot behind it. */
static bool is_version(const char *text, const char *at)
{
    bool begins = at > text && strchr(" (/", at[-1]) != NULL;
    size_t digits = strspn(at + 1, "0123456789");
    return begins && *at == 'v' && digits > 0 && at[1 + digits] == '.' &&
           isdigit((unsigned char)at[2 + digits]);
}

bool has_revision(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (is_hash(at) || is_version(text, at) || matches(at, "(0000-00-00)") ||
            matches(at, "refs/pr/0"))
            return true;
    }
    return false;
}

bool is_vendor_page(const char *text)
{
    static const char *const HOSTS[] = { "docs.cloud.google.com/", "docs.nvidia.com/",
                                         "docs.runpod.io/", "rocm.docs.amd.com/" };
    for (size_t i = 0; i < sizeof HOSTS / sizeof HOSTS[0]; i++) {
        if (strncmp(text, HOSTS[i], strlen(HOSTS[i])) == 0)
            return true;
    }
    return false;
}
