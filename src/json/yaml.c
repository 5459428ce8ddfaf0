/* yaml.c - see yaml.h for the room and its promises. */

#include "json/yaml.h"

#include <string.h>

#include <yaml.h>

struct reader {
    yaml_parser_t parser;
    struct kvc_arena *arena;
    uint32_t values;
    kvcap_error *err;
};

static kvcap_code refuse(struct reader *y, enum kvc_slug slug, const struct kvc_value *node,
                         yaml_mark_t mark, const char *what)
{
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(node, pointer);
    return kvc_fail(y->err, slug, pointer, "%s, line %zu", what, mark.line + 1);
}

/* libyaml's own refusals.  Its reader finds bad encodings; the rest is grammar. */
static kvcap_code refuse_parser(struct reader *y, const struct kvc_value *node)
{
    const char *problem = y->parser.problem == NULL ? "unreadable YAML" : y->parser.problem;
    if (y->parser.error == YAML_MEMORY_ERROR)
        return kvc_fail(y->err, KVC_MEMORY_FULL, "", "reading YAML needs more memory");
    if (y->parser.error == YAML_READER_ERROR && strstr(problem, "control characters") == NULL)
        return refuse(y, KVC_RECORD_BAD_UTF8, node, y->parser.mark, problem);
    bool surrogate = strstr(problem, "invalid Unicode character escape") != NULL;
    return refuse(y, surrogate ? KVC_RECORD_LONE_SURROGATE : KVC_YAML_SYNTAX, node,
                  y->parser.problem_mark, problem);
}

static kvcap_code next(struct reader *y, const struct kvc_value *node, yaml_event_t *ret_event)
{
    if (!yaml_parser_parse(&y->parser, ret_event))
        return refuse_parser(y, node);
    return KVCAP_OK;
}

/* What may decorate a node and is refused, whichever node it is. */
static kvcap_code check_decoration(struct reader *y, const struct kvc_value *node,
                                   const yaml_event_t *event, const yaml_char_t *anchor,
                                   const yaml_char_t *tag)
{
    if (anchor != NULL)
        return refuse(y, KVC_YAML_ANCHOR, node, event->start_mark, "an anchor stands here");
    if (tag != NULL)
        return refuse(y, KVC_YAML_TAG, node, event->start_mark, "a tag stands here");
    return KVCAP_OK;
}

static bool is_json_integer(struct kvc_span text)
{
    bool negative = text.length > 0 && text.text[0] == '-';
    size_t begin = negative;
    if (text.length == begin || (text.text[begin] == '0' && text.length > begin + 1))
        return false;
    for (size_t i = begin; i < text.length; i++) {
        if (text.text[i] < '0' || text.text[i] > '9')
            return false;
    }
    return true;
}

static enum kvc_type plain_type(struct kvc_span text)
{
    if (text.length == 0 || kvc_span_is(text, "null"))
        return KVC_NULL;
    if (kvc_span_is(text, "true"))
        return KVC_TRUE;
    if (kvc_span_is(text, "false"))
        return KVC_FALSE;
    return is_json_integer(text) ? KVC_NUMBER : KVC_STRING;
}

/* The text of a scalar, plain or not, into the arena. */
static kvcap_code take_text(struct reader *y, const struct kvc_value *node,
                            const yaml_event_t *event, struct kvc_span *ret_text)
{
    struct kvc_span text = { .text = (const char *)event->data.scalar.value,
                             .length = event->data.scalar.length };
    kvcap_code rc =
        check_decoration(y, node, event, event->data.scalar.anchor, event->data.scalar.tag);
    if (rc != KVCAP_OK)
        return rc;
    *ret_text = kvc_arena_copy(y->arena, text);
    if (ret_text->text == NULL)
        return kvc_fail(y->err, KVC_MEMORY_FULL, "", "reading YAML needs more memory");
    return KVCAP_OK;
}

static kvcap_code take_scalar(struct reader *y, struct kvc_value *node, const yaml_event_t *event)
{
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    kvcap_code rc = take_text(y, node, event, &node->text);
    if (rc != KVCAP_OK)
        return rc;
    node->type = plain ? plain_type(node->text) : KVC_STRING;
    return node->type == KVC_NUMBER ? kvc_scan_check_integer(node, y->err) : KVCAP_OK;
}

static kvcap_code new_node(struct reader *y, struct kvc_value *parent, const yaml_event_t *event,
                           struct kvc_value **ret_node)
{
    struct kvc_value *node = kvc_arena_array(y->arena, 1, sizeof *node);
    if (node == NULL)
        return kvc_fail(y->err, KVC_MEMORY_FULL, "", "reading YAML needs more memory");
    node->offset = (uint32_t)event->start_mark.index;
    if (parent != NULL)
        kvc_value_append(parent, node);
    *ret_node = node;
    if (++y->values > KVC_VALUES_MAX)
        return refuse(y, KVC_RECORD_TOO_LARGE, node, event->start_mark,
                      "the text holds more than 4,194,304 values");
    return KVCAP_OK;
}

static kvcap_code take_node(struct reader *y, struct kvc_value *node, const yaml_event_t *event,
                            unsigned depth);

/* The value that belongs to a key: its event is the next one. */
static kvcap_code take_next(struct reader *y, struct kvc_value *node, unsigned depth)
{
    yaml_event_t event;
    kvcap_code rc = next(y, node, &event);
    if (rc != KVCAP_OK)
        return rc;
    rc = take_node(y, node, &event, depth);
    yaml_event_delete(&event);
    return rc;
}

static kvcap_code take_member(struct reader *y, struct kvc_value *object, const yaml_event_t *event,
                              unsigned depth)
{
    if (event->type == YAML_ALIAS_EVENT)
        return refuse(y, KVC_YAML_ALIAS, object, event->start_mark, "an alias stands here");
    if (event->type != YAML_SCALAR_EVENT)
        return refuse(y, KVC_YAML_KEY_NOT_TEXT, object, event->start_mark, "a key is not text");
    struct kvc_value *member;
    kvcap_code rc = new_node(y, object, event, &member);
    if (rc != KVCAP_OK)
        return rc;
    /* The event's own text first, so that a refusal can name the member; the copy outlives it.  A
     * key is text whatever it says. */
    member->key = (struct kvc_span){ .text = (const char *)event->data.scalar.value,
                                     .length = event->data.scalar.length };
    rc = take_text(y, member, event, &member->key);
    if (rc != KVCAP_OK)
        return rc;
    if (kvc_span_is(member->key, "<<") && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        return refuse(y, KVC_YAML_MERGE_KEY, object, event->start_mark, "a merge key stands here");
    return take_next(y, member, depth);
}

static kvcap_code take_element(struct reader *y, struct kvc_value *array, const yaml_event_t *event,
                               unsigned depth)
{
    struct kvc_value *element;
    kvcap_code rc = new_node(y, array, event, &element);
    return rc != KVCAP_OK ? rc : take_node(y, element, event, depth);
}

static kvcap_code take_children(struct reader *y, struct kvc_value *parent,
                                yaml_event_type_t closing, unsigned depth)
{
    for (;;) {
        yaml_event_t event;
        kvcap_code rc = next(y, parent, &event);
        if (rc != KVCAP_OK)
            return rc;
        bool closed = event.type == closing;
        if (!closed)
            rc = parent->type == KVC_OBJECT ? take_member(y, parent, &event, depth + 1)
                                            : take_element(y, parent, &event, depth + 1);
        yaml_event_delete(&event);
        if (rc != KVCAP_OK || closed)
            return rc;
    }
}

static kvcap_code take_collection(struct reader *y, struct kvc_value *node,
                                  const yaml_event_t *event, unsigned depth)
{
    bool mapping = event->type == YAML_MAPPING_START_EVENT;
    node->type = mapping ? KVC_OBJECT : KVC_ARRAY;
    node->text = (struct kvc_span){ 0 };
    kvcap_code rc = mapping ? check_decoration(y, node, event, event->data.mapping_start.anchor,
                                               event->data.mapping_start.tag)
                            : check_decoration(y, node, event, event->data.sequence_start.anchor,
                                               event->data.sequence_start.tag);
    if (rc != KVCAP_OK)
        return rc;
    if (depth >= KVC_DEPTH_MAX)
        return refuse(y, KVC_RECORD_TOO_DEEP, node, event->start_mark,
                      "values nest deeper than 64 levels");
    rc = take_children(y, node, mapping ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT, depth);
    if (rc != KVCAP_OK || !mapping)
        return rc;
    return kvc_scan_close_object(node, KVC_SCAN_RECORD, y->err);
}

static kvcap_code take_node(struct reader *y, struct kvc_value *node, const yaml_event_t *event,
                            unsigned depth)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(y, node, event);
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        return take_collection(y, node, event, depth);
    case YAML_ALIAS_EVENT:
        return refuse(y, KVC_YAML_ALIAS, node, event->start_mark, "an alias stands here");
    default:
        return refuse(y, KVC_YAML_SYNTAX, node, event->start_mark, "a value is due");
    }
}

/* Passes over the events that frame a document, up to one that matters. */
static kvcap_code next_content(struct reader *y, const struct kvc_value *node,
                               yaml_event_t *ret_event)
{
    for (;;) {
        kvcap_code rc = next(y, node, ret_event);
        if (rc != KVCAP_OK)
            return rc;
        bool frame = ret_event->type == YAML_STREAM_START_EVENT ||
                     ret_event->type == YAML_DOCUMENT_START_EVENT ||
                     ret_event->type == YAML_DOCUMENT_END_EVENT;
        if (!frame)
            return KVCAP_OK;
        yaml_event_delete(ret_event);
    }
}

static kvcap_code take_document(struct reader *y, struct kvc_value **ret_root)
{
    yaml_event_t event;
    kvcap_code rc = next_content(y, NULL, &event);
    if (rc != KVCAP_OK)
        return rc;
    if (event.type == YAML_STREAM_END_EVENT) {
        yaml_event_delete(&event);
        return kvc_fail(y->err, KVC_RECORD_EMPTY, "", "the text holds no value");
    }
    struct kvc_value *root;
    rc = new_node(y, NULL, &event, &root);
    if (rc == KVCAP_OK)
        rc = take_node(y, root, &event, 0);
    yaml_event_delete(&event);
    if (rc != KVCAP_OK)
        return rc;

    rc = next_content(y, root, &event);
    if (rc != KVCAP_OK)
        return rc;
    if (event.type != YAML_STREAM_END_EVENT)
        rc = refuse(y, KVC_YAML_DOCUMENTS, NULL, event.start_mark, "a second document begins");
    yaml_event_delete(&event);
    if (rc == KVCAP_OK)
        *ret_root = root;
    return rc;
}

/* Whether a line begins here: at the text's start or its byte order mark, or after any of the line
 * breaks that YAML knows. */
static bool begins_line(struct kvc_span text, size_t i)
{
    static const char *const BEFORE[] = { "\n", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9" };
    struct kvc_span before = { .text = text.text, .length = i };
    for (size_t k = 0; k < sizeof BEFORE / sizeof BEFORE[0]; k++) {
        if (kvc_span_ends(before, BEFORE[k]))
            return true;
    }
    return i == 0 || kvc_span_is(before, "\xEF\xBB\xBF");
}

/* A tag is refused anyway, and libyaml compares each %TAG with all before it: a megabyte of them
 * takes minutes.  So none reaches it. */
static kvcap_code check_directives(struct kvc_span text, kvcap_error *err)
{
    size_t line = 1;
    for (size_t i = 0; i < text.length; i++) {
        struct kvc_span rest = { .text = text.text + i, .length = text.length - i };
        if (text.text[i] == '%' && kvc_span_starts(rest, "%TAG") && begins_line(text, i))
            return kvc_fail(err, KVC_YAML_DIRECTIVE, "", "a %%TAG directive stands here, line %zu",
                            line);
        line += text.text[i] == '\n';
    }
    return KVCAP_OK;
}

kvcap_code kvc_yaml(struct kvc_arena *arena, struct kvc_span text, size_t bytes_max,
                    struct kvc_value **ret_root, kvcap_error *err)
{
    struct reader y = { .arena = arena, .err = err };
    if (text.length > bytes_max)
        return kvc_fail(err, KVC_RECORD_TOO_LARGE, "", "the text is longer than %zu bytes",
                        bytes_max);
    kvcap_code rc = check_directives(text, err);
    if (rc != KVCAP_OK)
        return rc;
    if (!yaml_parser_initialize(&y.parser))
        return kvc_fail(err, KVC_MEMORY_FULL, "", "reading YAML needs more memory");
    /* Without this a byte order mark would switch the file to UTF-16. */
    yaml_parser_set_encoding(&y.parser, YAML_UTF8_ENCODING);
    const char *bytes = text.length > 0 ? text.text : ""; /* an empty span may have no text */
    yaml_parser_set_input_string(&y.parser, (const unsigned char *)bytes, text.length);
    rc = take_document(&y, ret_root);
    yaml_parser_delete(&y.parser);
    return rc;
}
