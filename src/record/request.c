/* request.c - see request.h for the room and its promises. */

#include "record/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* In canonical order, so that "each member comes after the one before" means a canonical order. */
enum member {
    COHORT,
    MAX_OUTPUT_TOKENS,
    PREFIX_ID,
    PREFIX_TOKENS,
    PROMPT_TOKENS,
    REQUEST_ID,
    SEQUENCES,
    TENANT,
    MEMBER_COUNT,
};

struct member_row {
    const char *name;
    uint8_t length;
    bool is_text;
    uint8_t least; /* of an integer */
    bool optional;
};

#define ROW(name_, is_text_, least_, optional_)                                                    \
    {                                                                                              \
        .name = name_, .length = sizeof(name_) - 1, .is_text = is_text_, .least = least_,          \
        .optional = optional_                                                                      \
    }

static const struct member_row MEMBERS[MEMBER_COUNT] = {
    [COHORT] = ROW("cohort", true, 0, false),
    [MAX_OUTPUT_TOKENS] = ROW("max_output_tokens", false, 0, false),
    [PREFIX_ID] = ROW("prefix_id", true, 0, true),
    [PREFIX_TOKENS] = ROW("prefix_tokens", false, 1, true),
    [PROMPT_TOKENS] = ROW("prompt_tokens", false, 1, false),
    [REQUEST_ID] = ROW("request_id", true, 0, false),
    [SEQUENCES] = ROW("sequences", false, 1, false),
    [TENANT] = ROW("tenant", true, 0, false),
};

struct line {
    const char *at, *end;
    bool spaced; /* white space was passed over */
};

static void skip_space(struct line *line)
{
    while (line->at < line->end && (*line->at == ' ' || *line->at == '\t')) {
        line->at++;
        line->spaced = true;
    }
}

static bool take(struct line *line, char expected)
{
    if (line->at == line->end || *line->at != expected)
        return false;
    line->at++;
    return true;
}

/* A string of printable ASCII without escapes; empty and overlong ones are the general way's. */
static bool take_plain_string(struct line *line, struct kvc_span *ret_text)
{
    if (!take(line, '"'))
        return false;
    const char *begin = line->at;
    while (line->at < line->end && *line->at >= 0x20 && *line->at < 0x7F && *line->at != '"' &&
           *line->at != '\\')
        line->at++;
    *ret_text = (struct kvc_span){ .text = begin, .length = (size_t)(line->at - begin) };
    return ret_text->length >= 1 && ret_text->length <= KVC_NAME_BYTES_MAX && take(line, '"');
}

/* Up to 15 digits, which lie within 2^53-1 whatever they are. */
static bool take_plain_integer(struct line *line, uint64_t *ret_value)
{
    const char *begin = line->at;
    uint64_t value = 0;
    while (line->at < line->end && *line->at >= '0' && *line->at <= '9' && line->at - begin < 16)
        value = value * 10 + (uint64_t)(*line->at++ - '0');
    ptrdiff_t digits = line->at - begin;
    *ret_value = value;
    return digits >= 1 && digits <= 15 && (digits == 1 || *begin != '0');
}

static int member_named(struct kvc_span name)
{
    for (int i = 0; i < MEMBER_COUNT; i++) {
        if (name.length == MEMBERS[i].length &&
            memcmp(name.text, MEMBERS[i].name, name.length) == 0)
            return i;
    }
    return -1;
}

struct values {
    struct kvc_span texts[MEMBER_COUNT];
    uint64_t numbers[MEMBER_COUNT];
    unsigned seen; /* bit i: member i */
    int last;      /* member met last */
    bool ordered;  /* so far each came after the one before */
};

static bool take_member(struct line *line, struct values *values)
{
    struct kvc_span name;
    skip_space(line);
    if (!take_plain_string(line, &name))
        return false;
    int member = member_named(name);
    if (member < 0 || (values->seen & 1u << member) != 0)
        return false;
    skip_space(line);
    if (!take(line, ':'))
        return false;
    skip_space(line);
    if (MEMBERS[member].is_text ? !take_plain_string(line, &values->texts[member])
                                : !take_plain_integer(line, &values->numbers[member]))
        return false;
    values->seen |= 1u << member;
    values->ordered = values->ordered && member > values->last;
    values->last = member;
    skip_space(line);
    return MEMBERS[member].is_text || values->numbers[member] >= MEMBERS[member].least;
}

static bool take_members(struct line *line, struct values *values)
{
    if (!take(line, '{'))
        return false;
    do {
        if (!take_member(line, values))
            return false;
    } while (take(line, ','));
    if (!take(line, '}'))
        return false;
    skip_space(line);
    return line->at == line->end;
}

static bool is_complete(const struct values *values)
{
    for (int i = 0; i < MEMBER_COUNT; i++) {
        if (!MEMBERS[i].optional && (values->seen & 1u << i) == 0)
            return false;
    }
    bool has_id = (values->seen & 1u << PREFIX_ID) != 0;
    bool has_tokens = (values->seen & 1u << PREFIX_TOKENS) != 0;
    return has_id == has_tokens && values->numbers[PREFIX_TOKENS] <= values->numbers[PROMPT_TOKENS];
}

bool kvc_request_scan(struct kvc_span text, struct kvc_request *ret_request, bool *ret_canonical)
{
    struct line line = { .at = text.text, .end = text.text + text.length };
    struct values values = { .last = -1, .ordered = true };
    skip_space(&line);
    if (!take_members(&line, &values) || !is_complete(&values))
        return false;
    *ret_request = (struct kvc_request){
        .request_id = values.texts[REQUEST_ID],
        .cohort = values.texts[COHORT],
        .tenant = values.texts[TENANT],
        .prompt_tokens = values.numbers[PROMPT_TOKENS],
        .max_output_tokens = values.numbers[MAX_OUTPUT_TOKENS],
        .sequences = values.numbers[SEQUENCES],
        .prefix_id = values.texts[PREFIX_ID],
        .prefix_tokens = values.numbers[PREFIX_TOKENS],
    };
    *ret_canonical = values.ordered && !line.spaced;
    return true;
}

static void put_text(const char *name, struct kvc_span text, const struct kvc_sink *sink)
{
    sink->put(sink->context, name, strlen(name));
    kvc_write_string(text, sink);
}

static void put_number(const char *name, uint64_t number, const struct kvc_sink *sink)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%s%" PRIu64, name, number);
    sink->put(sink->context, text, (size_t)length);
}

void kvc_request_write(const struct kvc_request *request, const struct kvc_sink *sink)
{
    put_text("{\"cohort\":", request->cohort, sink);
    put_number(",\"max_output_tokens\":", request->max_output_tokens, sink);
    if (request->prefix_id.text != NULL) {
        put_text(",\"prefix_id\":", request->prefix_id, sink);
        put_number(",\"prefix_tokens\":", request->prefix_tokens, sink);
    }
    put_number(",\"prompt_tokens\":", request->prompt_tokens, sink);
    put_text(",\"request_id\":", request->request_id, sink);
    put_number(",\"sequences\":", request->sequences, sink);
    put_text(",\"tenant\":", request->tenant, sink);
    sink->put(sink->context, "}", 1);
}
