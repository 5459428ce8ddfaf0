/* name.c - see name.h for the room and its promises. */

#include "face/hub/name.h"

#include <string.h>

bool kvc_hub_is_name(const char *word)
{
    return strncmp(word, KVC_HUB_PREFIX, strlen(KVC_HUB_PREFIX)) == 0;
}

bool kvc_hub_is_hex(struct kvc_span text, size_t digits)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
    }
    return text.length == digits;
}

bool kvc_hub_is_commit(struct kvc_span revision)
{
    return kvc_hub_is_hex(revision, KVC_HUB_COMMIT_HEX);
}

static bool is_plain(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

static bool is_part(struct kvc_span part)
{
    if (part.length == 0 || part.length > KVC_HUB_PART_BYTES_MAX || part.text[0] == '.' ||
        part.text[0] == '-')
        return false;
    for (size_t i = 0; i < part.length; i++) {
        bool is_dots = i > 0 && part.text[i] == '.' && part.text[i - 1] == '.';
        if (!is_plain(part.text[i]) || is_dots)
            return false;
    }
    return true;
}

bool kvc_hub_is_file_name(struct kvc_span name)
{
    if (name.length == 0 || name.length > KVC_HUB_FILE_BYTES_MAX || !kvc_span_is_utf8(name, NULL))
        return false;
    for (size_t i = 0; i < name.length;) {
        uint32_t point = kvc_span_code_point(name, &i);
        if (point < 0x20 || (point >= 0x7F && point <= 0x9F) || point == '\\')
            return false;
    }
    for (size_t begin = 0; begin <= name.length;) {
        struct kvc_span part = { .text = name.text + begin, .length = name.length - begin };
        const char *slash = memchr(part.text, '/', part.length);
        if (slash != NULL)
            part.length = (size_t)(slash - part.text);
        if (part.length == 0 || kvc_span_is(part, ".") || kvc_span_is(part, ".."))
            return false;
        begin += part.length + 1;
    }
    return true;
}

/* Takes what stands before the first of the marks (or the end) off the rest. */
static struct kvc_span take_part(const char **rest, const char *marks)
{
    struct kvc_span part = { .text = *rest, .length = strcspn(*rest, marks) };
    *rest += part.length;
    return part;
}

static bool take_repository(const char **rest, struct kvc_hub_name *name)
{
    const char *begin = *rest;
    name->name = take_part(rest, "/@");
    if (**rest == '/') {
        ++*rest;
        name->org = name->name;
        name->name = take_part(rest, "/@");
        if (!is_part(name->org))
            return false;
    }
    name->repository = (struct kvc_span){ .text = begin, .length = (size_t)(*rest - begin) };
    return is_part(name->name);
}

/* REV, or refs/WORD/WORD. */
static bool take_revision(const char **rest, struct kvc_span *ret_revision)
{
    const char *begin = *rest;
    struct kvc_span part = take_part(rest, "/");
    bool good = is_part(part);
    if (good && kvc_span_is(part, "refs")) {
        for (int i = 0; i < 2 && good && **rest == '/'; i++) {
            ++*rest;
            good = is_part(take_part(rest, "/"));
        }
    }
    *ret_revision = (struct kvc_span){ .text = begin, .length = (size_t)(*rest - begin) };
    return good;
}

kvcap_code kvc_hub_name_read(const char *word, struct kvc_hub_name *ret_name, kvcap_error *err)
{
    if (!kvc_hub_is_name(word))
        return kvc_fail(err, KVC_NET_BAD_NAME, word, "the name does not begin with hf:");
    const char *rest = word + strlen(KVC_HUB_PREFIX);
    struct kvc_hub_name name = { .revision = kvc_span_of("main") };
    if (!take_repository(&rest, &name))
        return kvc_fail(err, KVC_NET_BAD_NAME, word,
                        "ORG and NAME are letters, digits, dots, dashes and underscores");
    if (*rest == '@') {
        rest++;
        if (!take_revision(&rest, &name.revision))
            return kvc_fail(err, KVC_NET_BAD_NAME, word,
                            "REV is letters, digits, dots, dashes and underscores");
    }
    if (*rest == '/') {
        name.file = kvc_span_of(rest + 1);
        if (!kvc_hub_is_file_name(name.file))
            return kvc_fail(err, KVC_NET_BAD_NAME, word,
                            "FILE is a path below the repository, without . and ..");
    }
    *ret_name = name;
    return KVCAP_OK;
}
