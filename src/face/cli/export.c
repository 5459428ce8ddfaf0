/* export.c - the verb export: a record for other tools. */

#include <string.h>

#include "face/cli/verbs.h"
#include "os/os.h"
#include "json/write.h"

static void put(const struct kvc_sink *sink, const char *text)
{
    sink->put(sink->context, text, strlen(text));
}

/* An in-toto Statement v1; its members in canonical order too. */
static void put_statement(const kvcap_record *plan, const struct kvc_sink *sink)
{
    put(sink, "{\"_type\":\"https://in-toto.io/Statement/v1\",\"predicate\":");
    put(sink, plan->json.text);
    put(sink, ",\"predicateType\":\"urn:kvcap:kv-capacity-plan:1\",\"subject\":[{\"digest\":{"
              "\"sha256\":\"");
    put(sink, strstr(plan->record.id, "@sha256:") + strlen("@sha256:"));
    put(sink, "\"},\"name\":\"");
    put(sink, plan->record.id);
    put(sink, "\"}]}\n");
}

static void put_output(void *context, const char *bytes, size_t length)
{
    kvc_output_put(context, bytes, length);
}

static kvcap_code take_only(struct kvc_library *library, struct kvc_entry **ret_entry,
                            kvcap_error *err)
{
    const char *path = library->call->words[0];
    if (kvc_given(library->call, "in-toto"))
        return kvc_library_take(library, path, KVC_KIND_PLAN, ret_entry, err);
    size_t first;
    kvcap_code rc = kvc_library_load(library, path, &first, err);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_entry *entry = library->entries[first];
    if (library->entries_count != first + 1 || entry->is_stream)
        return kvc_fail(err, KVC_USAGE_WRONG_KIND, path, "the file does not hold one record");
    if (entry->refusal.code != KVCAP_OK) {
        *err = entry->refusal;
        return err->code;
    }
    *ret_entry = entry;
    return KVCAP_OK;
}

static kvcap_code export_record(struct kvc_library *library, kvcap_error *err)
{
    const struct kvc_call *call = library->call;
    struct kvc_entry *entry;
    struct kvc_output *output;
    bool in_toto = kvc_given(call, "in-toto");
    if (in_toto == kvc_given(call, "canonical"))
        return kvc_fail(err, KVC_USAGE_OPERANDS, "", "one of --in-toto and --canonical is due");
    kvcap_code rc = take_only(library, &entry, err);
    if (rc == KVCAP_OK)
        rc = kvc_output_open(kvc_value_of(call, "o"), &output, err);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_sink sink = { .put = put_output, .context = output };
    if (in_toto)
        put_statement(entry->handle, &sink);
    else
        kvc_write(entry->handle->record.tree, "id", &sink);
    return kvc_output_keep(output, err);
}

int kvc_verb_export(const struct kvc_call *call)
{
    struct kvc_library library;
    kvcap_error error;
    kvc_library_open(&library, call);
    kvcap_code rc = export_record(&library, &error);
    int status = rc == KVCAP_OK ? KVC_EXIT_YES : kvc_refused(call, &error);
    kvc_library_drop(&library);
    return status;
}
