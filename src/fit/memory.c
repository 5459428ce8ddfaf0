/* memory.c - see memory.h for the room and its promises. */

#include "fit/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ck.h"
#include "meta/devices.h"

/* ---- A GiB that was printed. */

#define GIB_SHIFT 30
#define PLACES_MIN 2 /* engines print round(x, 2), and drop a last 0: "19.5" is 19.50 */
#define PLACES_MAX 9

bool kvc_fit_printed_gib(struct kvc_span text, struct kvc_bytes_range *ret_range)
{
    uint64_t digits = 0, scale = 1;
    uint32_t places = 0;
    bool point = false, any = false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9' || digits > UINT64_C(1000000000000))
            return false;
        digits = digits * 10 + (uint64_t)(c - '0');
        places += point;
        any = true;
    }
    if (!any || places > PLACES_MAX)
        return false;
    for (; places < PLACES_MIN; places++)
        digits *= 10;
    for (uint32_t i = 0; i < places; i++)
        scale *= 10;
    /* (digits +- 1/2) / scale GiB, both ends taken: a tie may be printed either way. */
    kvc_u128 below = digits == 0 ? 0 : (kvc_u128)(2 * digits - 1) << GIB_SHIFT;
    kvc_u128 above = (kvc_u128)(2 * digits + 1) << GIB_SHIFT;
    kvc_u128 unit = (kvc_u128)2 * scale;
    ret_range->least = (uint64_t)((below + unit - 1) / unit);
    ret_range->most = (uint64_t)(above / unit);
    ret_range->said = true;
    return true;
}

/* ---- The object. */

struct reading {
    const struct kvc_value *object;
    const char *at;
    struct kvc_arena *arena;
    struct kvc_fit_memory *memory;
    kvcap_error *err;
};

static kvcap_code refuse(const struct reading *r, enum kvc_slug slug, const struct kvc_value *value,
                         const char *sentence)
{
    char pointer[KVC_POINTER_ROOM], below[KVC_POINTER_ROOM] = "", at[KVC_POINTER_ROOM + 40];
    kvc_value_pointer(value, pointer);
    kvc_value_pointer(r->object, below);
    snprintf(at, sizeof at, "%.39s%s", r->at, pointer + strlen(below));
    return kvc_fail(r->err, slug, at, "%s", sentence);
}

static kvcap_code read_bytes(const struct reading *r, const struct kvc_value *value,
                             struct kvc_bytes_range *ret_range)
{
    uint64_t bytes;
    if (value->type != KVC_NUMBER || !kvc_span_u64(value->text, &bytes) || bytes > KVC_SAFE_MAX)
        return refuse(r, KVC_USAGE_BAD_VALUE, value,
                      "a whole number of bytes within 2^53-1 is due");
    *ret_range = (struct kvc_bytes_range){ bytes, bytes, true };
    return KVCAP_OK;
}

static kvcap_code read_gib(const struct reading *r, const struct kvc_value *value,
                           struct kvc_bytes_range *ret_range)
{
    if (value->type != KVC_STRING || !kvc_fit_printed_gib(value->text, ret_range) ||
        ret_range->most > KVC_SAFE_MAX)
        return refuse(r, KVC_USAGE_BAD_VALUE, value, "a GiB as it was printed, \"5.69\", is due");
    return KVCAP_OK;
}

static kvcap_code read_one(const struct reading *r, const struct kvc_value *value, bool is_gib,
                           struct kvc_bytes_range *ret_range)
{
    return is_gib ? read_gib(r, value, ret_range) : read_bytes(r, value, ret_range);
}

/* One number, or a list with one a worker. */
static kvcap_code read_available(const struct reading *r, const struct kvc_value *value,
                                 bool is_gib)
{
    bool is_list = value->type == KVC_ARRAY;
    uint32_t count = is_list ? value->count : 1;
    if (count == 0 || count > KVC_FIT_WORKERS_MAX)
        return refuse(r, KVC_USAGE_BAD_VALUE, value, "1 to 4,096 workers are due");
    struct kvc_bytes_range *list = kvc_arena_array(r->arena, count, sizeof *list);
    if (list == NULL)
        return refuse(r, KVC_MEMORY_FULL, value, "the workers need more memory");
    r->memory->available = list;
    r->memory->available_count = count;
    if (!is_list)
        return read_one(r, value, is_gib, list);
    kvcap_code rc = KVCAP_OK;
    for (const struct kvc_value *e = value->first; e != NULL && rc == KVCAP_OK; e = e->next)
        rc = read_one(r, e, is_gib, &list[e->index]);
    return rc;
}

static kvcap_code read_device_entry(const struct reading *r, const struct kvc_value *value,
                                    struct kvc_engine_device *ret_device)
{
    struct kvc_bytes_range free = { 0 }, total = { 0 };
    kvcap_code rc = KVCAP_OK;
    if (value->type != KVC_OBJECT)
        return refuse(r, KVC_USAGE_BAD_VALUE, value,
                      "an object with name, free_bytes and total_bytes is due");
    for (const struct kvc_value *e = value->first; e != NULL && rc == KVCAP_OK; e = e->next) {
        if (kvc_span_is(e->key, "name") && e->type == KVC_STRING)
            ret_device->name = e->text;
        else if (kvc_span_is(e->key, "free_bytes"))
            rc = read_bytes(r, e, &free);
        else if (kvc_span_is(e->key, "total_bytes"))
            rc = read_bytes(r, e, &total);
        else
            rc = refuse(r, KVC_USAGE_BAD_VALUE, e,
                        "a device has a name (text), free_bytes and total_bytes");
    }
    if (rc == KVCAP_OK && !free.said && !total.said)
        rc = refuse(r, KVC_USAGE_BAD_VALUE, value, "free_bytes or total_bytes is due");
    ret_device->free_bytes = free.said ? free.least : total.least;
    ret_device->total_bytes = total.said ? total.least : free.least;
    if (rc == KVCAP_OK && ret_device->free_bytes > ret_device->total_bytes)
        rc = refuse(r, KVC_USAGE_BAD_VALUE, value, "more is free than there is");
    return rc;
}

static kvcap_code read_devices(const struct reading *r, const struct kvc_value *value)
{
    if (value->type != KVC_ARRAY || value->count > KVC_FIT_DEVICES_MAX)
        return refuse(r, KVC_USAGE_BAD_VALUE, value, "a list of at most 1,024 devices is due");
    struct kvc_engine_device *devices = kvc_arena_array(r->arena, value->count, sizeof *devices);
    if (devices == NULL && value->count > 0)
        return refuse(r, KVC_MEMORY_FULL, value, "the devices need more memory");
    r->memory->devices = devices;
    r->memory->devices_count = value->count;
    kvcap_code rc = KVCAP_OK;
    for (const struct kvc_value *e = value->first; e != NULL && rc == KVCAP_OK; e = e->next)
        rc = read_device_entry(r, e, &devices[e->index]);
    return rc;
}

/* A device of the table: what its runtime reports, which is what an engine takes its share of. */
static kvcap_code read_device_name(const struct reading *r, const struct kvc_value *value)
{
    const struct kvc_device *device;
    struct kvc_bytes_range *total = &r->memory->device_total;
    if (value->type != KVC_STRING)
        return refuse(r, KVC_USAGE_BAD_VALUE, value, "the name of a device is due");
    kvcap_code rc = kvc_device_find(value->text, &device, r->err);
    if (rc != KVCAP_OK)
        return rc;
    r->memory->device_name = device->name;
    if (total->said)
        return KVCAP_OK;
    kvc_device_runtime_bytes(device, &total->least, &total->most);
    total->said = total->most > 0;
    return KVCAP_OK;
}

static kvcap_code read_member(const struct reading *r, const struct kvc_value *member)
{
    struct kvc_fit_memory *memory = r->memory;
    const struct {
        const char *bytes, *gib;
        struct kvc_bytes_range *range;
    } TERMS[] = {
        { "device_total_bytes", "device_total_gib", &memory->device_total },
        { "device_free_bytes", "device_free_gib", &memory->device_free },
        { "weights_bytes", "weights_gib", &memory->weights },
        { "activation_bytes", "activation_gib", &memory->activation },
        { "non_torch_bytes", "non_torch_gib", &memory->non_torch },
        { "cuda_graph_bytes", "cuda_graph_gib", &memory->cuda_graph },
        { "host_total_bytes", "host_total_gib", &memory->host_total },
    };
    for (size_t i = 0; i < sizeof TERMS / sizeof TERMS[0]; i++) {
        bool is_gib = kvc_span_is(member->key, TERMS[i].gib);
        if (!is_gib && !kvc_span_is(member->key, TERMS[i].bytes))
            continue;
        bool by_device = TERMS[i].range == &memory->device_total && memory->device_name != NULL;
        if (TERMS[i].range->said && !by_device)
            return refuse(r, KVC_USAGE_BAD_VALUE, member,
                          "bytes and GiB of one term do not stand together");
        return read_one(r, member, is_gib, TERMS[i].range);
    }
    bool is_gib = kvc_span_is(member->key, "available_kv_gib");
    if (is_gib || kvc_span_is(member->key, "available_kv_bytes") ||
        kvc_span_is(member->key, "budget_bytes")) {
        if (memory->available != NULL)
            return refuse(r, KVC_USAGE_BAD_VALUE, member, "what is available was said twice");
        return read_available(r, member, is_gib);
    }
    if (kvc_span_is(member->key, "devices"))
        return read_devices(r, member);
    if (kvc_span_is(member->key, "device"))
        return read_device_name(r, member);
    return refuse(r, KVC_USAGE_UNKNOWN_SETTING, member, "memory has no member of this name");
}

kvcap_code kvc_fit_memory_read(const struct kvc_value *value, const char *at,
                               struct kvc_arena *arena, struct kvc_fit_memory *ret_memory,
                               kvcap_error *err)
{
    struct kvc_fit_memory memory = { 0 };
    struct reading r = { value, at, arena, &memory, err };
    kvcap_code rc = KVCAP_OK;
    if (value != NULL && value->type != KVC_NULL) {
        if (value->type != KVC_OBJECT)
            return kvc_fail(err, KVC_USAGE_BAD_VALUE, at, "memory is an object");
        memory.given = value->count > 0;
        for (const struct kvc_value *e = value->first; e != NULL && rc == KVCAP_OK; e = e->next)
            rc = read_member(&r, e);
    }
    if (rc == KVCAP_OK)
        *ret_memory = memory;
    return rc;
}

/* ---- Its two ends. */

static bool is_wide(const struct kvc_bytes_range *range)
{
    return range->said && range->least != range->most;
}

bool kvc_fit_memory_is_range(const struct kvc_fit_memory *memory)
{
    for (uint32_t i = 0; i < memory->available_count; i++) {
        if (is_wide(&memory->available[i]))
            return true;
    }
    return is_wide(&memory->device_total) || is_wide(&memory->device_free) ||
           is_wide(&memory->weights) || is_wide(&memory->activation) ||
           is_wide(&memory->non_torch) || is_wide(&memory->cuda_graph) ||
           is_wide(&memory->host_total);
}

static struct kvc_maybe end_of(const struct kvc_bytes_range *range, bool most)
{
    return (struct kvc_maybe){ .value = most ? range->most : range->least, .said = range->said };
}

kvcap_code kvc_fit_memory_end(const struct kvc_fit_memory *memory, bool most,
                              struct kvc_arena *arena, struct kvc_engine_memory *ret_memory,
                              kvcap_error *err)
{
    uint64_t *available = kvc_arena_array(arena, memory->available_count, sizeof *available);
    if (available == NULL && memory->available_count > 0)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the workers need more memory");
    for (uint32_t i = 0; i < memory->available_count; i++)
        available[i] = most ? memory->available[i].most : memory->available[i].least;
    *ret_memory = (struct kvc_engine_memory){
        .given = memory->given,
        .available_bytes = memory->available_count > 0 ? available : NULL,
        .available_count = memory->available_count,
        .device_total_bytes = end_of(&memory->device_total, most),
        .device_free_bytes = end_of(&memory->device_free, most),
        .weights_bytes = end_of(&memory->weights, !most),
        .activation_bytes = end_of(&memory->activation, !most),
        .non_torch_bytes = end_of(&memory->non_torch, !most),
        .cuda_graph_bytes = end_of(&memory->cuda_graph, !most),
        .host_total_bytes = end_of(&memory->host_total, most),
        .devices = memory->devices,
        .devices_count = memory->devices_count,
        .device_name = memory->device_name,
    };
    return KVCAP_OK;
}
