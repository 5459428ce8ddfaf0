/* evidence.c - the verb evidence: a window of requests under a contract, sealed. */

#include <string.h>

#include "base/unit.h"
#include "face/cli/capture.h"
#include "face/cli/verbs.h"
#include "os/os.h"
#include "store/folder.h"

static kvcap_code put_reported(const struct kvc_call *call, struct kvc_build *b,
                               struct kvc_value *tree, kvcap_error *err)
{
    struct kvc_value *reported = kvc_build_object(b, tree, "reported");
    uint64_t device_bytes = 0;
    kvcap_code rc = kvc_bytes_flag(call, "reported-device-bytes", KVC_SAFE_MAX, &device_bytes, err);
    kvc_build_u64(b, reported, "device_bytes", device_bytes);
    struct kvc_value *list = kvc_build_array(b, reported, "cache_bytes_by_rank");
    const char *rest = kvc_value_of(call, "reported-cache-bytes");
    while (rest != NULL && rc == KVCAP_OK) {
        size_t length = strcspn(rest, ",");
        uint64_t bytes = 0;
        rc = kvc_unit_bytes((struct kvc_span){ rest, length }, "--reported-cache-bytes", &bytes,
                            err);
        kvc_build_u64(b, list, NULL, bytes);
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return rc;
}

static kvcap_code draft_header(const struct kvc_call *call, const struct kvc_record *contract,
                               struct kvc_arena *arena, struct kvc_value **ret_tree,
                               kvcap_error *err)
{
    struct kvc_build b = { .arena = arena };
    struct kvc_value *tree = kvc_build_object(&b, NULL, NULL);
    kvc_build_text(&b, tree, "kind", kvc_span_of("kv-reservation-evidence"));
    kvc_build_u64(&b, tree, "version", 1);
    kvc_build_text(&b, tree, "contract", kvc_span_of(contract->id));
    kvc_build_text(&b, tree, "captured_by", kvc_span_of(kvc_value_of(call, "captured-by")));
    struct kvc_value *window = kvc_build_object(&b, tree, "window");
    kvc_build_text(&b, window, "start", kvc_span_of(kvc_value_of(call, "from")));
    kvc_build_text(&b, window, "end", kvc_span_of(kvc_value_of(call, "to")));
    kvcap_code rc = put_reported(call, &b, tree, err);
    if (rc == KVCAP_OK && b.full)
        rc = kvc_fail(err, KVC_MEMORY_FULL, "", "the evidence needs more memory");
    *ret_tree = tree;
    return rc;
}

static const struct kvc_record *find_contract(void *context, struct kvc_span id)
{
    const struct kvc_record *contract = context;
    return kvc_span_is(id, contract->id) ? contract : NULL;
}

static kvcap_code fill_scope(const struct kvc_record *contract, struct kvc_arena *arena,
                             struct kvc_value *tree, kvcap_error *err)
{
    struct kvc_naming naming = { .find = find_contract, .context = (void *)contract };
    struct kvc_reading reading = { .arena = arena, .memory = &kvc_os_memory, .err = err };
    return kvc_seal_header(&reading, tree, &naming);
}

static kvcap_code check_flags(const struct kvc_call *call, kvcap_error *err)
{
    static const char *const NEEDED[] = { "from", "to", "captured-by", "reported-device-bytes",
                                          "reported-cache-bytes" };
    kvcap_code rc = KVCAP_OK;
    for (size_t i = 0; i < sizeof NEEDED / sizeof NEEDED[0] && rc == KVCAP_OK; i++)
        rc = kvc_need_flag(call, NEEDED[i], err);
    if (rc == KVCAP_OK && !kvc_span_is_utf8(kvc_span_of(kvc_value_of(call, "captured-by")), NULL))
        rc = kvc_fail(err, KVC_USAGE_BAD_VALUE, "--captured-by", "the name is not UTF-8");
    return rc;
}

static kvcap_code capture_window(struct kvc_library *library, kvcap_error *err)
{
    const struct kvc_call *call = library->call;
    struct kvc_entry *contract;
    kvcap_code rc = check_flags(call, err);
    if (rc == KVCAP_OK)
        rc = kvc_library_take(library, call->words[0], KVC_KIND_CONTRACT, &contract, err);
    if (rc != KVCAP_OK)
        return rc;
    bool is_table = !kvc_span_ends(kvc_span_of(call->words[1]), ".jsonl") &&
                    !kvc_span_ends(kvc_span_of(call->words[1]), ".json");
    struct kvc_capture capture = { .library = library,
                                   .path = call->words[1],
                                   .form = is_table ? KVC_CAPTURE_CSV : KVC_CAPTURE_LINES,
                                   .contract = &contract->handle->record };
    rc = draft_header(call, capture.contract, &library->arena, &capture.header, err);
    if (rc == KVCAP_OK)
        rc = fill_scope(capture.contract, &library->arena, capture.header, err);
    if (rc == KVCAP_OK)
        rc = kvc_capture_check(&capture, err);
    if (rc == KVCAP_OK) {
        /* An object past the reader's limit could not be read again, so it becomes a stream. */
        bool as_stream =
            kvc_given(call, "stream") || kvc_capture_object_bytes(&capture) > KVC_RECORD_BYTES_MAX;
        rc = kvc_capture_write(&capture, kvc_value_of(call, "o"), as_stream, err);
    }
    kvc_capture_drop(&capture);
    return rc;
}

int kvc_verb_evidence(const struct kvc_call *call)
{
    struct kvc_library library;
    kvcap_error error;
    kvc_library_open(&library, call);
    kvcap_code rc = capture_window(&library, &error);
    int status = rc == KVCAP_OK ? KVC_EXIT_YES : kvc_refused(call, &error);
    kvc_library_drop(&library);
    return status;
}
