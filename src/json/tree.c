/* tree.c - see tree.h for the room and its promises. */

#include "json/tree.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct kvc_value *kvc_value_member_of(const struct kvc_value *object, struct kvc_span key)
{
    if (object == NULL || object->type != KVC_OBJECT)
        return NULL;
    for (struct kvc_value *member = object->first; member != NULL; member = member->next) {
        if (kvc_span_equal(member->key, key))
            return member;
    }
    return NULL;
}

struct kvc_value *kvc_value_element(const struct kvc_value *array, uint32_t index)
{
    if (array == NULL || array->type != KVC_ARRAY)
        return NULL;
    struct kvc_value *element = array->first;
    while (element != NULL && index-- > 0)
        element = element->next;
    return element;
}

/* ---- Pointers.  Written from the last token to the first, since a node knows only its parent. */

struct backwards {
    char *begin, *at;
    bool cut;
};

static void put_before(struct backwards *out, const char *text, size_t length)
{
    size_t room = (size_t)(out->at - out->begin);
    if (out->cut || room < length) {
        out->cut = true;
        return;
    }
    out->at -= length;
    memcpy(out->at, text, length);
}

/* RFC 6901 escapes ~ and /; bytes that would not print are left as they are, the face's matter. */
static void put_key_before(struct backwards *out, struct kvc_span key)
{
    for (size_t i = key.length; i-- > 0;) {
        if (key.text[i] == '~')
            put_before(out, "~0", 2);
        else if (key.text[i] == '/')
            put_before(out, "~1", 2);
        else if (key.text[i] == '\0')
            put_before(out, "\\u0000", 6);
        else
            put_before(out, &key.text[i], 1);
    }
    put_before(out, "/", 1);
}

static void put_token_before(struct backwards *out, const struct kvc_value *value)
{
    if (value->parent->type == KVC_OBJECT) {
        put_key_before(out, value->key);
        return;
    }
    char digits[16];
    int length = snprintf(digits, sizeof digits, "/%" PRIu32, value->index);
    put_before(out, digits, (size_t)length);
}

static void pointer_from(const struct kvc_value *value, struct backwards *out,
                         char ret_pointer[KVC_POINTER_ROOM])
{
    while (value != NULL && value->parent != NULL) {
        put_token_before(out, value);
        value = value->parent;
    }
    size_t length = strlen(out->at);
    size_t dots = out->cut ? 3 : 0;
    memmove(ret_pointer + dots, out->at, length + 1);
    if (out->cut)
        memcpy(ret_pointer, "...", 3);
}

static struct backwards backwards_into(char scratch[KVC_POINTER_ROOM])
{
    scratch[KVC_POINTER_ROOM - 1] = '\0';
    return (struct backwards){ .begin = scratch + 4, .at = scratch + KVC_POINTER_ROOM - 1 };
}

void kvc_value_pointer(const struct kvc_value *value, char ret_pointer[KVC_POINTER_ROOM])
{
    char scratch[KVC_POINTER_ROOM];
    struct backwards out = backwards_into(scratch);
    pointer_from(value, &out, ret_pointer);
}

void kvc_value_pointer_below(const struct kvc_value *object, const char *key,
                             char ret_pointer[KVC_POINTER_ROOM])
{
    char scratch[KVC_POINTER_ROOM];
    struct backwards out = backwards_into(scratch);
    put_key_before(&out, kvc_span_of(key));
    pointer_from(object, &out, ret_pointer);
}

/* One token of a pointer against a key, with ~0 and ~1 undone on the way. */
static bool token_is(struct kvc_span token, struct kvc_span key)
{
    size_t k = 0;
    for (size_t i = 0; i < token.length; i++, k++) {
        char c = token.text[i];
        if (c == '~') {
            if (++i >= token.length || (token.text[i] != '0' && token.text[i] != '1'))
                return false;
            c = token.text[i] == '0' ? '~' : '/';
        }
        if (k >= key.length || key.text[k] != c)
            return false;
    }
    return k == key.length;
}

static struct kvc_value *child_at(const struct kvc_value *parent, struct kvc_span token)
{
    if (parent->type == KVC_ARRAY) {
        uint64_t index;
        if (!kvc_span_u64(token, &index) || index >= parent->count)
            return NULL;
        return kvc_value_element(parent, (uint32_t)index);
    }
    if (parent->type != KVC_OBJECT)
        return NULL;
    struct kvc_value *member = parent->first;
    while (member != NULL && !token_is(token, member->key))
        member = member->next;
    return member;
}

const struct kvc_value *kvc_value_at(const struct kvc_value *root, struct kvc_span pointer)
{
    const struct kvc_value *value = root;
    size_t i = 0;
    while (value != NULL && i < pointer.length) {
        if (pointer.text[i] != '/')
            return NULL;
        size_t end = i + 1;
        while (end < pointer.length && pointer.text[end] != '/')
            end++;
        struct kvc_span token = { .text = pointer.text + i + 1, .length = end - i - 1 };
        value = child_at(value, token);
        i = end;
    }
    return value;
}

/* ---- Canonical order. */

/* UTF-16 order differs from UTF-8 order in one way: U+E000..U+FFFF sort after the surrogates that
 * spell U+10000 and above. */
static uint32_t utf16_rank(uint32_t point)
{
    if (point >= 0xE000 && point <= 0xFFFF)
        return point + 0x200000;
    return point;
}

int kvc_key_compare(struct kvc_span a, struct kvc_span b)
{
    size_t i = 0;
    while (i < a.length && i < b.length && a.text[i] == b.text[i])
        i++;
    if (i == a.length || i == b.length)
        return a.length < b.length ? -1 : a.length > b.length;

    unsigned char x = (unsigned char)a.text[i], y = (unsigned char)b.text[i];
    if (x < 0x80 && y < 0x80)
        return x < y ? -1 : 1;

    /* Back to where the differing character begins, which is the same place in both. */
    while (i > 0 && ((unsigned char)a.text[i] & 0xC0) == 0x80)
        i--;
    size_t j = i;
    uint32_t left = utf16_rank(kvc_span_code_point(a, &i));
    uint32_t right = utf16_rank(kvc_span_code_point(b, &j));
    return left < right ? -1 : 1;
}

static bool is_ascending(const struct kvc_value *object)
{
    for (const struct kvc_value *m = object->first; m != NULL && m->next != NULL; m = m->next) {
        if (kvc_key_compare(m->key, m->next->key) >= 0)
            return false;
    }
    return true;
}

/* Cuts the first `count` nodes off a list and returns what follows them. */
static struct kvc_value *cut(struct kvc_value *list, uint32_t count)
{
    while (list != NULL && --count > 0)
        list = list->next;
    if (list == NULL)
        return NULL;
    struct kvc_value *rest = list->next;
    list->next = NULL;
    return rest;
}

/* Merges two sorted lists behind *tail, which is moved to the new end; the left one wins ties. */
static void merge(struct kvc_value *left, struct kvc_value *right, struct kvc_value **tail)
{
    while (left != NULL || right != NULL) {
        bool take_left =
            right == NULL || (left != NULL && kvc_key_compare(left->key, right->key) <= 0);
        struct kvc_value **from = take_left ? &left : &right;
        (*tail)->next = *from;
        *tail = *from;
        *from = (*from)->next;
    }
}

#define FEW 12

/* Few members, as of most objects: each is put behind those before it that are not greater. */
static void sort_few(struct kvc_value *object)
{
    struct kvc_value *sorted[FEW] = { NULL };
    size_t count = 0;
    for (struct kvc_value *member = object->first; member != NULL; member = member->next) {
        size_t at = count++;
        for (; at > 0 && kvc_key_compare(sorted[at - 1]->key, member->key) > 0; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = member;
    }
    for (size_t i = 0; i + 1 < count; i++)
        sorted[i]->next = sorted[i + 1];
    object->first = sorted[0];
    object->last = sorted[count - 1];
    object->last->next = NULL;
}

/* Of many a bottom-up merge sort of the list itself: stable, n log n, and no memory. */
void kvc_value_sort(struct kvc_value *object)
{
    if (object->count > 1 && object->count <= FEW) {
        sort_few(object);
        return;
    }
    if (is_ascending(object))
        return;
    for (uint32_t run = 1; run < object->count; run *= 2) {
        struct kvc_value head = { .next = NULL };
        struct kvc_value *tail = &head, *rest = object->first;
        while (rest != NULL) {
            struct kvc_value *left = rest;
            struct kvc_value *right = cut(left, run);
            rest = cut(right, run);
            merge(left, right, &tail);
        }
        tail->next = NULL;
        object->first = head.next;
        object->last = tail;
    }
}

struct kvc_value *kvc_value_duplicate(const struct kvc_value *object)
{
    for (struct kvc_value *m = object->first; m != NULL && m->next != NULL; m = m->next) {
        if (kvc_span_equal(m->key, m->next->key))
            return m->next;
    }
    return NULL;
}

static bool children_equal(const struct kvc_value *a, const struct kvc_value *b,
                           const struct kvc_value **ret_differing)
{
    const struct kvc_value *left = a->first;
    for (const struct kvc_value *right = b->first; right != NULL; right = right->next) {
        int order = left == NULL ? 1 : kvc_key_compare(left->key, right->key);
        *ret_differing = order < 0 ? b : right; /* below 0: what `a` has here is missing in `b` */
        if (order != 0 || !kvc_value_equal(left, right, ret_differing))
            return false;
        left = left->next;
    }
    *ret_differing = b;
    return left == NULL;
}

bool kvc_value_equal(const struct kvc_value *a, const struct kvc_value *b,
                     const struct kvc_value **ret_differing)
{
    *ret_differing = b;
    if (a->type != b->type)
        return false;
    if (a->type == KVC_OBJECT || a->type == KVC_ARRAY)
        return children_equal(a, b, ret_differing);
    /* The words null, true and false have no text when they were built. */
    bool has_text = a->type == KVC_NUMBER || a->type == KVC_STRING;
    return !has_text || kvc_span_equal(a->text, b->text);
}

/* ---- Building. */

void kvc_value_append(struct kvc_value *parent, struct kvc_value *child)
{
    assert(parent->type == KVC_OBJECT || parent->type == KVC_ARRAY);
    child->parent = parent;
    child->index = parent->count++;
    if (parent->last == NULL)
        parent->first = child;
    else
        parent->last->next = child;
    parent->last = child;
}

/* Puts a member before the first whose key is not smaller. */
static void insert_by_key(struct kvc_value *object, struct kvc_value *member)
{
    struct kvc_value *before = NULL, *after = object->first;
    while (after != NULL && kvc_key_compare(after->key, member->key) < 0) {
        before = after;
        after = after->next;
    }
    member->parent = object;
    member->next = after;
    if (before == NULL)
        object->first = member;
    else
        before->next = member;
    if (after == NULL)
        object->last = member;
    object->count++;
}

void kvc_value_remove(struct kvc_value *object, struct kvc_value *member)
{
    struct kvc_value *before = NULL;
    for (struct kvc_value *m = object->first; m != member; m = m->next)
        before = m;
    if (before == NULL)
        object->first = member->next;
    else
        before->next = member->next;
    if (object->last == member)
        object->last = before;
    object->count--;
}

struct kvc_value *kvc_build_node(struct kvc_build *build, struct kvc_value *parent, const char *key,
                                 enum kvc_type type)
{
    struct kvc_value *node = build->full ? NULL : kvc_arena_array(build->arena, 1, sizeof *node);
    if (node == NULL) {
        build->full = true;
        return NULL;
    }
    node->type = type;
    if (key != NULL)
        node->key = kvc_span_of(key);
    if (parent != NULL && parent->type == KVC_OBJECT)
        insert_by_key(parent, node);
    else if (parent != NULL)
        kvc_value_append(parent, node);
    return node;
}

struct kvc_value *kvc_build_object(struct kvc_build *build, struct kvc_value *parent,
                                   const char *key)
{
    return kvc_build_node(build, parent, key, KVC_OBJECT);
}

struct kvc_value *kvc_build_array(struct kvc_build *build, struct kvc_value *parent,
                                  const char *key)
{
    return kvc_build_node(build, parent, key, KVC_ARRAY);
}

void kvc_build_u64(struct kvc_build *build, struct kvc_value *parent, const char *key,
                   uint64_t value)
{
    struct kvc_value *node = kvc_build_node(build, parent, key, KVC_NUMBER);
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    if (node == NULL)
        return;
    node->text =
        kvc_arena_copy(build->arena, (struct kvc_span){ .text = digits, .length = (size_t)length });
    build->full = node->text.text == NULL;
}

void kvc_build_bool(struct kvc_build *build, struct kvc_value *parent, const char *key, bool value)
{
    kvc_build_node(build, parent, key, value ? KVC_TRUE : KVC_FALSE);
}

void kvc_build_text(struct kvc_build *build, struct kvc_value *parent, const char *key,
                    struct kvc_span text)
{
    struct kvc_value *node = kvc_build_node(build, parent, key, KVC_STRING);
    if (node != NULL)
        node->text = text;
}

static struct kvc_span keep(struct kvc_build *build, struct kvc_span text)
{
    struct kvc_span kept = kvc_arena_copy(build->arena, text);
    build->full = build->full || kept.text == NULL;
    return kept;
}

/* Order is kept, so a sorted object stays one. */
static void copy_children(struct kvc_build *build, struct kvc_value *into,
                          const struct kvc_value *from)
{
    for (const struct kvc_value *child = from->first; child != NULL && !build->full;
         child = child->next) {
        struct kvc_value *node = kvc_build_node(build, NULL, NULL, child->type);
        if (node == NULL)
            return;
        node->key = keep(build, child->key);
        node->text = keep(build, child->text);
        kvc_value_append(into, node);
        copy_children(build, node, child);
    }
}

void kvc_build_copy(struct kvc_build *build, struct kvc_value *parent, const char *key,
                    const struct kvc_value *value)
{
    struct kvc_value *node = kvc_build_node(build, parent, key, value->type);
    if (node == NULL)
        return;
    node->text = keep(build, value->text);
    copy_children(build, node, value);
}
