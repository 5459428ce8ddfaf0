/* fit.c - kvcap fit: what an engine at a version will allocate, print and refuse.
 *
 * Room:   face/cli.
 * Knows:  all.
 *
 *   words behind --  ->  command/   settings, model, engine --+
 *   flags before --  ->  memory, version, --set --------------+-> fit/  ->  table or kv-fit */

#include <string.h>

#include "base/unit.h"
#include "face/cli/asking.h"
#include "face/cli/fit.h"
#include "fit/record_json.h"
#include "fit/seek.h"
#include "os/os.h"

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the question needs more memory");
}

/* ---- Memory, as the object of a batch line. */

/* Bytes are exact; a decimal point makes it a GiB that was printed, "4.91" or "4.91GiB". */
static kvcap_code put_bytes(struct kvc_build *build, struct kvc_value *object, const char *term,
                            const char *text, const char *at, kvcap_error *err)
{
    struct kvc_span span = kvc_span_of(text);
    char *key = kvc_arena_take(build->arena, 64);
    uint64_t bytes;
    if (key == NULL)
        return no_memory(err);
    if (memchr(text, '.', span.length) == NULL) {
        kvcap_code rc = kvc_unit_bytes(span, at, &bytes, err);
        snprintf(key, 64, "%s_bytes", term);
        if (rc == KVCAP_OK)
            kvc_build_u64(build, object, key, bytes);
        return rc;
    }
    struct kvc_bytes_range range;
    if (kvc_span_ends(span, "GiB"))
        span.length -= strlen("GiB");
    while (span.length > 0 && span.text[span.length - 1] == ' ')
        span.length--;
    if (!kvc_fit_printed_gib(span, &range))
        return kvc_fail(err, KVC_USAGE_BAD_VALUE, at,
                        "bytes are due (\"80GiB\"), or a GiB as it was printed (\"4.91\")");
    snprintf(key, 64, "%s_gib", term);
    kvc_build_text(build, object, key, span);
    return KVCAP_OK;
}

static kvcap_code put_available(struct kvc_build *build, struct kvc_value *object, char *list,
                                kvcap_error *err)
{
    static const char AT[] = "--available-kv";
    if (strchr(list, ',') == NULL)
        return put_bytes(build, object, "available_kv", list, AT, err);
    /* Each alone first: either all are bytes, or all are printed. */
    struct kvc_value *entries = NULL;
    const char *key = NULL;
    for (char *one = list, *comma = list; comma != NULL; one = comma == NULL ? one : comma + 1) {
        comma = strchr(one, ',');
        if (comma != NULL)
            *comma = '\0';
        struct kvc_value *single = kvc_build_object(build, NULL, NULL);
        kvcap_code rc = put_bytes(build, single, "available_kv", one, AT, err);
        if (rc != KVCAP_OK || build->full)
            return rc;
        struct kvc_value *entry = single->first;
        if (entries == NULL) {
            key = kvc_span_is(entry->key, "available_kv_gib") ? "available_kv_gib"
                                                              : "available_kv_bytes";
            entries = kvc_build_array(build, object, key);
        }
        if (!kvc_span_is(entry->key, key))
            return kvc_fail(err, KVC_USAGE_BAD_VALUE, AT,
                            "either all are bytes, or all are printed GiB");
        kvc_build_copy(build, entries, NULL, entry);
    }
    return KVCAP_OK;
}

/* --devices N of --device-memory each, as llama.cpp counts them. */
static kvcap_code put_devices(const struct kvc_call *call, struct kvc_build *build,
                              struct kvc_value *object, kvcap_error *err)
{
    uint64_t count = 1, bytes = 0, free_bytes;
    kvcap_code rc = kvc_count_flag(call, "devices", 1, KVC_FIT_DEVICES_MAX, &count, err);
    if (rc == KVCAP_OK)
        rc = kvc_bytes_flag(call, "device-memory", KVC_SAFE_MAX, &bytes, err);
    free_bytes = bytes;
    if (rc == KVCAP_OK)
        rc = kvc_bytes_flag(call, "device-free", KVC_SAFE_MAX, &free_bytes, err);
    if (rc != KVCAP_OK || bytes == 0)
        return rc;
    struct kvc_value *list = kvc_build_array(build, object, "devices");
    for (uint64_t i = 0; i < count; i++) {
        struct kvc_value *device = kvc_build_object(build, list, NULL);
        char *name = kvc_arena_take(build->arena, 32);
        if (name == NULL)
            return no_memory(err);
        snprintf(name, 32, "GPU%u", (unsigned)i);
        kvc_build_text(build, device, "name", kvc_span_of(name));
        kvc_build_u64(build, device, "total_bytes", bytes);
        kvc_build_u64(build, device, "free_bytes", free_bytes);
    }
    return KVCAP_OK;
}

static kvcap_code put_terms(const struct kvc_call *call, struct kvc_build *build,
                            struct kvc_value *object, bool by_list, kvcap_error *err)
{
    static const struct {
        const char *flag, *term;
        bool of_a_device; /* stands in the list of devices instead, where there is one */
    } TERMS[] = {
        { "device-memory", "device_total", true }, { "device-free", "device_free", true },
        { "weights", "weights", false },           { "activation", "activation", false },
        { "non-torch", "non_torch", false },       { "cuda-graphs", "cuda_graph", false },
        { "host-memory", "host_total", false },
    };
    kvcap_code rc = KVCAP_OK;
    for (size_t i = 0; i < sizeof TERMS / sizeof TERMS[0] && rc == KVCAP_OK; i++) {
        const char *text = kvc_value_of(call, TERMS[i].flag);
        char at[40];
        snprintf(at, sizeof at, "--%s", TERMS[i].flag);
        if (text != NULL && !(TERMS[i].of_a_device && by_list))
            rc = put_bytes(build, object, TERMS[i].term, text, at, err);
    }
    return rc;
}

static kvcap_code gather_memory(struct kvc_asking *a, kvcap_error *err)
{
    const struct kvc_call *call = a->call;
    struct kvc_build build = { .arena = a->arena };
    struct kvc_value *object = kvc_build_object(&build, NULL, NULL);
    bool by_list = a->question.release.engine == KVC_ENGINE_LLAMACPP;
    const char *available = kvc_value_of(call, "available-kv");
    const char *device = kvc_value_of(call, "device");
    kvcap_code rc = put_terms(call, &build, object, by_list, err);
    if (rc == KVCAP_OK && by_list)
        rc = put_devices(call, &build, object, err);
    if (rc == KVCAP_OK && available != NULL) {
        struct kvc_span copy = kvc_arena_copy(a->arena, kvc_span_of(available));
        rc = copy.text == NULL ? no_memory(err)
                               : put_available(&build, object, (char *)copy.text, err);
    }
    if (rc == KVCAP_OK && device != NULL)
        kvc_build_text(&build, object, "device", kvc_span_of(device));
    if (rc == KVCAP_OK && build.full)
        rc = no_memory(err);
    if (rc != KVCAP_OK || object->count == 0)
        return rc;
    a->memory = object;
    return kvc_fit_memory_read(object, "/memory", a->arena, &a->question.memory, err);
}

static kvcap_code gather(struct kvc_asking *a, kvcap_error *err)
{
    kvcap_code rc = kvc_ask_command(a, err);
    if (rc == KVCAP_OK)
        rc = kvc_ask_engine(a, err);
    if (rc == KVCAP_OK)
        rc = kvc_ask_model(a, err);
    if (rc == KVCAP_OK)
        rc = kvc_ask_settings(a, err);
    return rc == KVCAP_OK ? gather_memory(a, err) : rc;
}

/* ---- Answering. */

static kvcap_code seal_record(struct kvc_asking *a, const struct kvc_fit *fit,
                              kvcap_record **ret_handle, kvcap_error *err)
{
    struct kvc_fit_text text;
    struct kvc_fit_record record = {
        .model = kvc_span_of(a->model->handle->record.id),
        .memory = a->memory,
    };
    const kvcap_record *named[] = { a->model->handle };
    if (a->has_command && a->command.secret != NULL)
        return kvc_fail(err, KVC_USAGE_SECRET, a->command.secret,
                        "the command line holds a token or key, which a record must not");
    if (a->has_command) {
        record.words = a->command.words;
        record.words_count = a->command.words_count;
        record.ignored = a->command.ignored;
        record.ignored_count = a->command.ignored_count;
    }
    kvc_fit_text_begin(&text, a->arena);
    if (!kvc_fit_write_record(fit, &a->question, &record, &text))
        return text.full
                   ? no_memory(err)
                   : kvc_fail(err, KVC_RANGE_OVERFLOW, "", "a number of the answer is past 2^53-1");
    return kvcap_record_seal(text.text, text.length, KVCAP_JSON, named, 1, ret_handle, err);
}

/* Whoever has the two records shall come to the same numbers.  Where the engine read more of the model's
 * file than its record holds, they would not, and the fit says so. */
static kvcap_code check_follows(struct kvc_asking *a, struct kvc_fit *fit, kvcap_record **handle,
                                kvcap_error *err)
{
    const kvcap_record *named[] = { a->model->handle };
    int32_t outcome;
    kvcap_code rc = kvcap_verify(*handle, named, 1, &outcome, err);
    if (rc != KVCAP_OK || outcome == KVCAP_INTACT)
        return rc;
    kvcap_record_free(*handle);
    *handle = NULL;
    kvc_answer_note(&fit->answer, KVC_FIT_BESIDE_RECORD,
                    "the engine read more of the model's file than its record holds: the record "
                    "alone does not give these numbers");
    return fit->answer.full ? no_memory(err) : seal_record(a, fit, handle, err);
}

static kvcap_code write_record(struct kvc_asking *a, struct kvc_fit *fit, kvcap_error *err)
{
    kvcap_record *handle = NULL;
    kvcap_code rc = seal_record(a, fit, &handle, err);
    if (rc == KVCAP_OK)
        rc = check_follows(a, fit, &handle, err);
    if (rc == KVCAP_OK)
        rc = kvc_write_text(kvc_value_of(a->call, "o"), handle->json, err);
    kvcap_record_free(handle);
    return rc;
}

static void show(const struct kvc_asking *a, const struct kvc_fit *fit)
{
    struct kvc_fit_shown shown = {
        .fit = fit,
        .question = &a->question,
        .model_name = a->model->handle->record.model.name.text,
        .ignored = a->has_command ? a->command.ignored : NULL,
        .ignored_count = a->has_command ? a->command.ignored_count : 0,
        .explain = kvc_given(a->call, "explain"),
    };
    kvc_fit_show(&shown, stdout);
    kvc_print_notes(a->model->handle, stdout);
}

static int exit_of(enum kvc_decision decision)
{
    switch (decision) {
    case KVC_DECISION_EXCEEDS_CAPACITY:
    case KVC_DECISION_REFUSED:
        return KVC_EXIT_NO;
    case KVC_DECISION_UNDETERMINED:
        return KVC_EXIT_CANNOT_SAY;
    default:
        return KVC_EXIT_YES;
    }
}

static kvcap_code seek_what(const struct kvc_call *call, enum kvc_seek *ret_what, kvcap_error *err)
{
    static const char *const WORDS[] = { "context", "concurrency", "device" };
    const char *word = kvc_value_of(call, "seek");
    *ret_what = KVC_SEEK_NOTHING;
    if (word == NULL)
        return KVCAP_OK;
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(word, WORDS[i]) == 0) {
            *ret_what = (enum kvc_seek)(i + 1);
            return KVCAP_OK;
        }
    }
    return kvc_fail(err, KVC_USAGE_BAD_VALUE, "--seek", "context, concurrency or device is due");
}

static void tell_sought(const struct kvc_sought *sought, enum kvc_seek what)
{
    static const char *const UNITS[] = { "", "tokens of context", "sequences at once", "" };
    const char *sure = sought->unsure ? ", as far as it can be said" : "";
    char number[KVC_UNIT_ROOM];
    if (!sought->found && sought->unsure) {
        printf("sought: it cannot be said what fits\n");
        return;
    }
    if (!sought->found) {
        printf("sought: nothing fits%s\n",
               what == KVC_SEEK_DEVICE ? " on one of any device that is known" : ", not even 1");
        return;
    }
    kvc_unit_thousands(sought->value, number);
    if (what == KVC_SEEK_DEVICE)
        printf("sought: %s is the smallest known device that is enough (%s bytes)%s\n",
               sought->device, number, sure);
    else
        printf("sought: %s %s are the most that fit%s%s\n", number, UNITS[what],
               sought->value == sought->tried_max ? ", and the most that were tried" : "", sure);
}

static kvcap_code run(struct kvc_asking *a, int *ret_status, kvcap_error *err)
{
    struct kvc_sought *sought = NULL;
    struct kvc_fit *fit = kvc_arena_array(a->arena, 1, sizeof *fit);
    enum kvc_seek what;
    if (fit == NULL)
        return no_memory(err);
    kvcap_code rc = seek_what(a->call, &what, err);
    if (rc == KVCAP_OK)
        rc = gather(a, err);
    /* A record holds no derivation, and is derived again without one. */
    bool is_record = a->call->json || kvc_given(a->call, "o");
    a->question.explain = kvc_given(a->call, "explain") && !is_record;
    if (rc == KVCAP_OK && what != KVC_SEEK_NOTHING) {
        sought = kvc_arena_array(a->arena, 1, sizeof *sought);
        rc = sought == NULL ? no_memory(err)
                            : kvc_fit_seek(&a->question, what, a->arena, sought, err);
    }
    if (rc == KVCAP_OK && (sought == NULL || !sought->found))
        rc = kvc_fit_answer(&a->question, a->arena, fit, err);
    else if (rc == KVCAP_OK)
        *fit = sought->fit;
    if (rc != KVCAP_OK)
        return rc;
    *ret_status = exit_of(fit->answer.decision);
    if (sought != NULL && !sought->found)
        *ret_status = sought->unsure ? KVC_EXIT_CANNOT_SAY : KVC_EXIT_NO;
    if (is_record)
        return write_record(a, fit, err);
    if (sought != NULL)
        tell_sought(sought, what);
    show(a, fit);
    return KVCAP_OK;
}

int kvc_verb_fit(const struct kvc_call *call)
{
    struct kvc_library library;
    struct kvc_asking asking = {
        .call = call, .name_flag = "name", .revision_flag = "revision", .library = &library
    };
    kvcap_error error;
    int status = KVC_EXIT_YES;
    if (kvc_given(call, "batch"))
        return kvc_fit_batch(call);
    kvc_library_open(&library, call);
    asking.arena = &library.arena;
    kvcap_code rc = run(&asking, &status, &error);
    if (rc != KVCAP_OK)
        status = kvc_refused(call, &error);
    kvc_library_drop(&library);
    return status;
}
