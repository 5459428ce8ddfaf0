/* evidence.c - kv-reservation-evidence: one bounded window of requests.  Declared in record.h. */

#include "record/record.h"

static const struct kvc_key EVIDENCE_KEYS[] = {
    KVC_HEAD_KEYS, /* id first: a draft has all but this one */
    { "contract", false },
    { "scope", false },
    { "reported", false },
    { "window", false },
    { "captured_by", false },
    { "requests", false }, /* last: a stream's header has all but this one */
};

static const struct kvc_key REQUEST_KEYS[] = {
    { "request_id", false },    { "cohort", false },       { "tenant", false },
    { "prompt_tokens", false }, { "sequences", false },    { "max_output_tokens", false },
    { "prefix_id", true },      { "prefix_tokens", true },
};

static struct kvc_span format_name(struct kvc_reader *r, const struct kvc_value *scope,
                                   const char *key)
{
    kvc_read_format(r, scope, key);
    return kvc_read_text(r, scope, key);
}

static void read_scope(struct kvc_reader *r, const struct kvc_value *tree, struct kvc_scope *scope)
{
    static const struct kvc_key KEYS[] = {
        { "model", false },   { "architecture_digest", false }, { "cache_k", false },
        { "cache_v", false }, { "allocator", false },           { "scheduler", false },
        { "pool", false },
    };
    static const struct kvc_key IDENTITY[] = { { "name", false }, { "version", false } };
    const struct kvc_value *object = kvc_read_object(r, tree, "scope", KEYS, KVC_COUNT_OF(KEYS));
    scope->model = kvc_read_id(r, object, "model", KVC_KIND_MODEL);
    scope->architecture_digest = kvc_read_digest(r, object, "architecture_digest");
    scope->cache_k = format_name(r, object, "cache_k");
    scope->cache_v = format_name(r, object, "cache_v");
    scope->pool = kvc_read_name(r, object, "pool");
    scope->allocator = kvc_read_identity(r, kvc_read_object(r, object, "allocator", IDENTITY, 2));
    scope->scheduler = kvc_read_identity(r, kvc_read_object(r, object, "scheduler", IDENTITY, 2));
}

static void read_reported(struct kvc_reader *r, const struct kvc_reading *reading,
                          const struct kvc_value *tree, struct kvc_evidence *evidence)
{
    static const struct kvc_key KEYS[] = { { "device_bytes", false },
                                           { "cache_bytes_by_rank", false } };
    const struct kvc_value *reported =
        kvc_read_object(r, tree, "reported", KEYS, KVC_COUNT_OF(KEYS));
    evidence->device_bytes = kvc_read_n1(r, reported, "device_bytes");
    evidence->cache_bytes_by_rank = kvc_read_u64_list(r, reading, reported, "cache_bytes_by_rank",
                                                      0, KVC_RANKS_MAX, &evidence->ranks_count);
}

/* Both instants have one form up to the seconds, so they compare as text; a fraction has no trailing
 * zero, so of two the longer is later when one begins the other. */
static bool is_earlier(struct kvc_span a, struct kvc_span b)
{
    const size_t seconds = 19;
    struct kvc_span a_whole = { a.text, seconds }, b_whole = { b.text, seconds };
    int order = kvc_span_compare(a_whole, b_whole);
    if (order != 0)
        return order < 0;
    struct kvc_span a_rest = { a.text + seconds, a.length - seconds - 1 };
    struct kvc_span b_rest = { b.text + seconds, b.length - seconds - 1 };
    return kvc_span_compare(a_rest, b_rest) < 0;
}

static void read_window(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "start", false }, { "end", false } };
    const struct kvc_value *window = kvc_read_object(r, tree, "window", KEYS, KVC_COUNT_OF(KEYS));
    struct kvc_span start = kvc_read_instant(r, window, "start");
    struct kvc_span end = kvc_read_instant(r, window, "end");
    if (r->rc == KVCAP_OK && !is_earlier(start, end))
        kvc_refuse(r, KVC_EVIDENCE_WINDOW, window, "the window does not start before its end");
}

static void read_requests(struct kvc_reader *r, const struct kvc_value *tree,
                          struct kvc_evidence *evidence)
{
    const struct kvc_value *list = kvc_read_array(r, tree, "requests", 0, UINT32_MAX);
    if (list != NULL && list->count == 0)
        kvc_refuse(r, KVC_EVIDENCE_EMPTY, list, "the window holds no request");
    evidence->requests = list;
}

void kvc_evidence_read(struct kvc_reader *r, const struct kvc_reading *reading,
                       const struct kvc_value *tree, enum kvc_evidence_form form,
                       struct kvc_evidence *ret_evidence)
{
    struct kvc_evidence evidence = { 0 };
    size_t first = form == KVC_EVIDENCE_DRAFT;
    size_t last = KVC_COUNT_OF(EVIDENCE_KEYS) - (form != KVC_EVIDENCE_WHOLE);
    tree = kvc_read_keys(r, tree, EVIDENCE_KEYS + first, last - first);
    evidence.contract = kvc_read_id(r, tree, "contract", KVC_KIND_CONTRACT);
    read_scope(r, tree, &evidence.scope);
    read_reported(r, reading, tree, &evidence);
    read_window(r, tree);
    kvc_read_name(r, tree, "captured_by");
    if (form == KVC_EVIDENCE_WHOLE)
        read_requests(r, tree, &evidence);
    *ret_evidence = evidence;
}

kvcap_code kvc_evidence_header(const struct kvc_reading *reading, const struct kvc_value *tree,
                               enum kvc_evidence_form form, struct kvc_evidence *ret_evidence)
{
    struct kvc_reader r = { .rc = KVCAP_OK, .err = reading->err };
    struct kvc_evidence evidence = { 0 };
    if (form != KVC_EVIDENCE_DRAFT && !kvc_has(tree, "id"))
        kvc_refuse_member(&r, KVC_RECORD_DRAFT, tree, "id", "this stream is a draft: it has no id");
    kvc_record_read_head(&r, tree, KVC_KIND_EVIDENCE);
    kvc_evidence_read(&r, reading, tree, form, &evidence);
    if (form != KVC_EVIDENCE_DRAFT)
        kvc_read_id(&r, tree, "id", KVC_KIND_EVIDENCE);
    if (r.rc == KVCAP_OK)
        *ret_evidence = evidence;
    return r.rc;
}

void kvc_request_read(struct kvc_reader *r, const struct kvc_value *tree,
                      struct kvc_request *ret_request)
{
    struct kvc_request request = { 0 };
    tree = kvc_read_keys(r, tree, REQUEST_KEYS, KVC_COUNT_OF(REQUEST_KEYS));
    request.request_id = kvc_read_name(r, tree, "request_id");
    request.cohort = kvc_read_name(r, tree, "cohort");
    request.tenant = kvc_read_name(r, tree, "tenant");
    request.prompt_tokens = kvc_read_n1(r, tree, "prompt_tokens");
    request.max_output_tokens = kvc_read_n0(r, tree, "max_output_tokens");
    request.sequences = kvc_read_n1(r, tree, "sequences");
    bool has_id = kvc_has(tree, "prefix_id"), has_tokens = kvc_has(tree, "prefix_tokens");
    if (has_id != has_tokens)
        kvc_refuse_member(r, KVC_EVIDENCE_PREFIX, tree, has_id ? "prefix_tokens" : "prefix_id",
                          "prefix_id and prefix_tokens stand together");
    if (has_id && has_tokens) {
        request.prefix_id = kvc_read_name(r, tree, "prefix_id");
        request.prefix_tokens = kvc_read_n1(r, tree, "prefix_tokens");
        if (r->rc == KVCAP_OK && request.prefix_tokens > request.prompt_tokens)
            kvc_refuse_member(r, KVC_EVIDENCE_PREFIX, tree, "prefix_tokens",
                              "a prefix is at most the prompt");
    }
    *ret_request = request;
}
