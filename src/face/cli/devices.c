/* devices.c - the verb devices: accelerators and what is called their memory.  Declared in verbs.h. */

#include <string.h>

#include "base/unit.h"
#include "face/cli/verbs.h"
#include "meta/devices.h"
#include "meta/name.h"
#include "os/os.h"

static bool matches(const struct kvc_device *device, struct kvc_span part)
{
    return kvc_name_has(kvc_span_of(device->name), part) ||
           (device->called.name != NULL && kvc_name_has(kvc_span_of(device->called.name), part));
}

/* The next device from `*at` on that matches, or NULL. */
static const struct kvc_device *next_device(size_t *at, struct kvc_span part)
{
    const struct kvc_device *device;
    while ((device = kvc_device_at((*at)++)) != NULL) {
        if (matches(device, part))
            return device;
    }
    return NULL;
}

/* ---- For people. */

static void write_nominal(const struct kvc_device *device, char *text, size_t room)
{
    snprintf(text, room, "unknown");
    if (device->nominal.gb != 0)
        snprintf(text, room, "%u GB", (unsigned)device->nominal.gb);
}

static void write_driver(const struct kvc_device *device, char text[KVC_UNIT_ROOM])
{
    snprintf(text, KVC_UNIT_ROOM, "unknown");
    if (device->driver.bytes != 0)
        kvc_unit_exact(device->driver.bytes, text);
}

static void write_runtime(const struct kvc_device *device, char *text, size_t room)
{
    const uint64_t gib = UINT64_C(1) << 30;
    unsigned hundredths = (unsigned)device->runtime.gib_100;
    if (hundredths == 0) /* exact bytes are rounded for the eye alone */
        hundredths = (unsigned)((device->runtime.bytes * 100 + gib / 2) / gib);
    snprintf(text, room, "unknown");
    if (hundredths != 0)
        snprintf(text, room, "%u.%02u GiB", hundredths / 100, hundredths % 100);
}

static void write_bandwidth(const struct kvc_device *device, char *text, size_t room)
{
    unsigned mb = (unsigned)device->bandwidth.mb_per_s;
    snprintf(text, room, "unknown");
    if (mb != 0)
        snprintf(text, room, mb % 1000 == 0 ? "%u GB/s" : "%u.%u GB/s", mb / 1000, mb % 1000 / 100);
}

static void print_source(const char *what, const char *source)
{
    if (source != NULL)
        printf("    %-9s %s\n", what, source);
}

static void print_sources(const struct kvc_device *device)
{
    if (device->called.name != NULL)
        printf("    %-9s %s: %s\n", "called", device->called.name, device->called.source);
    print_source("nominal", device->nominal.source);
    print_source("driver", device->driver.source);
    print_source("runtime", device->runtime.source);
    print_source("bandwidth", device->bandwidth.source);
    print_source("note", device->note);
}

static void print_table(struct kvc_span part, bool explained)
{
    const struct kvc_device *device;
    int width = 4;
    for (size_t at = 0; (device = next_device(&at, part)) != NULL;)
        width = (int)strlen(device->name) > width ? (int)strlen(device->name) : width;
    printf("%-*s  %-6s  %8s  %20s  %10s  %12s\n", width, "name", "vendor", "nominal",
           "driver reports", "runtime", "bandwidth");
    for (size_t at = 0; (device = next_device(&at, part)) != NULL;) {
        char nominal[24], driver[KVC_UNIT_ROOM], runtime[24], bandwidth[32];
        write_nominal(device, nominal, sizeof nominal);
        write_driver(device, driver);
        write_runtime(device, runtime, sizeof runtime);
        write_bandwidth(device, bandwidth, sizeof bandwidth);
        printf("%-*s  %-6s  %8s  %20s  %10s  %12s\n", width, device->name, device->vendor, nominal,
               driver, runtime, bandwidth);
        if (explained)
            print_sources(device);
    }
    printf(
        "\nnominal: the vendor's GB; driver: as nvidia-smi, rocm-smi or hl-smi print it; runtime: "
        "what an engine\nsees (cudaMemGetInfo), which may be less; unknown is not none\n");
}

/* ---- For programs. */

static void build_text(struct kvc_build *b, struct kvc_value *object, const char *key,
                       const char *text)
{
    if (text != NULL)
        kvc_build_text(b, object, key, kvc_span_of(text));
}

static void build_number(struct kvc_build *b, struct kvc_value *object, const char *key,
                         uint64_t number)
{
    if (number != 0)
        kvc_build_u64(b, object, key, number);
}

static void build_device(struct kvc_build *b, struct kvc_value *list,
                         const struct kvc_device *device)
{
    struct kvc_value *object = kvc_build_object(b, list, NULL);
    uint64_t least, most, mb = device->bandwidth.mb_per_s;
    kvc_device_runtime_bytes(device, &least, &most);
    build_number(b, object, "bandwidth_bytes_per_s", mb * 1000000);
    build_text(b, object, "bandwidth_source", device->bandwidth.source);
    build_number(b, object, "driver_bytes", device->driver.bytes);
    build_text(b, object, "driver_name", device->called.name);
    build_text(b, object, "driver_name_source", device->called.source);
    build_text(b, object, "driver_source", device->driver.source);
    build_text(b, object, "driver_tool", device->driver.tool);
    build_text(b, object, "name", device->name);
    build_number(b, object, "nominal_gb", device->nominal.gb);
    build_text(b, object, "nominal_source", device->nominal.source);
    build_text(b, object, "note", device->note);
    build_number(b, object, "runtime_bytes_least", least);
    build_number(b, object, "runtime_bytes_most", most);
    build_text(b, object, "runtime_source", device->runtime.source);
    build_text(b, object, "vendor", device->vendor);
}

static kvcap_code print_json(struct kvc_span part, kvcap_error *err)
{
    const struct kvc_device *device;
    struct kvc_arena arena;
    kvc_arena_from(&arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    struct kvc_build b = { .arena = &arena };
    struct kvc_value *list = kvc_build_array(&b, NULL, NULL);
    for (size_t at = 0; (device = next_device(&at, part)) != NULL;)
        build_device(&b, list, device);
    kvcap_code rc = b.full ? kvc_fail(err, KVC_MEMORY_FULL, "", "the table needs memory")
                           : kvc_print_value(list, &arena, err);
    kvc_arena_drop(&arena);
    return rc;
}

int kvc_verb_devices(const struct kvc_call *call)
{
    struct kvc_span part = kvc_span_of(call->words_count == 0 ? "" : call->words[0]);
    const struct kvc_device *device;
    kvcap_error error;
    size_t at = 0;
    kvcap_code rc = KVCAP_OK;
    if (next_device(&at, part) == NULL)
        rc = kvc_device_find(part, &device, &error);
    if (rc == KVCAP_OK && call->json)
        rc = print_json(part, &error);
    else if (rc == KVCAP_OK)
        print_table(part, kvc_given(call, "explain"));
    return rc == KVCAP_OK ? KVC_EXIT_YES : kvc_refused(call, &error);
}
