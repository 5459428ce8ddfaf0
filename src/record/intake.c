/* intake.c - see intake.h for the room and its promises. */

#include "record/intake.h"

#include <inttypes.h>
#include <stdio.h>

void kvc_intake_begin(struct kvc_intake *intake, const struct kvc_contract *contract,
                      const struct kvc_memory *memory, struct kvc_arena *arena,
                      struct kvc_sha256 *sha)
{
    *intake = (struct kvc_intake){ .arena = arena, .sha = sha };
    intake->counts_prefixes = contract != NULL && contract->counts_prefixes;
    kvc_seen_begin(&intake->seen, memory, false);
    kvc_seen_begin(&intake->prefixes, memory, true);
}

void kvc_intake_drop(struct kvc_intake *intake)
{
    kvc_seen_drop(&intake->seen);
    kvc_seen_drop(&intake->prefixes);
}

static kvcap_code refuse(const struct kvc_intake *intake, enum kvc_slug slug, const char *member,
                         const char *what, kvcap_error *err)
{
    char at[64];
    snprintf(at, sizeof at, "/requests/%" PRIu64 "/%s", intake->requests_count, member);
    return kvc_fail(err, slug, at, "%s", what);
}

/* FNV-1a; the table is small and bounded, so an unlucky set of names costs little. */
static uint32_t hash_of(struct kvc_span name)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ (unsigned char)name.text[i]) * 16777619u;
    return hash;
}

#define PLACES_COUNT (4u * KVC_COHORTS_MAX)

/* The place of a name in the table, or the empty place where it belongs. */
static uint16_t *place_of(struct kvc_intake *intake, struct kvc_span name)
{
    uint32_t i = hash_of(name) % PLACES_COUNT;
    while (intake->places[i] != 0 && !kvc_span_equal(intake->cohorts[intake->places[i] - 1], name))
        i = (i + 1) % PLACES_COUNT;
    return &intake->places[i];
}

static kvcap_code cohort_number(struct kvc_intake *intake, struct kvc_span name,
                                uint32_t *ret_number, kvcap_error *err)
{
    uint32_t before = intake->cohort_before;
    if (intake->cohorts_count > 0 && kvc_span_equal(intake->cohorts[before], name)) {
        *ret_number = before;
        return KVCAP_OK;
    }
    uint16_t *place = place_of(intake, name);
    if (*place == 0) {
        if (intake->cohorts_count == KVC_COHORTS_MAX)
            return refuse(intake, KVC_EVIDENCE_COHORTS, "cohort",
                          "this is the 1,025th cohort of the window", err);
        struct kvc_span kept = kvc_arena_copy(intake->arena, name);
        if (kept.text == NULL)
            return kvc_fail(err, KVC_MEMORY_FULL, "", "the cohorts need more memory");
        intake->cohorts[intake->cohorts_count++] = kept;
        *place = (uint16_t)intake->cohorts_count;
    }
    *ret_number = intake->cohort_before = *place - 1u;
    return KVCAP_OK;
}

static kvcap_code take_prefix(struct kvc_intake *intake, const struct kvc_request *request,
                              struct kvc_taken *taken, kvcap_error *err)
{
    uint64_t tokens = request->prefix_tokens;
    enum kvc_seen_answer answer =
        kvc_seen_add(&intake->prefixes, intake->sha, request->tenant, request->prefix_id, &tokens);
    if (answer == KVC_SEEN_NO_MEMORY)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the set of prefixes needs more memory");
    if (tokens != request->prefix_tokens)
        return refuse(intake, KVC_EVIDENCE_PREFIX_DISAGREES, "prefix_tokens",
                      "an earlier request of this tenant gave this prefix another length", err);
    taken->counts_prefix = true;
    taken->carries_prefix = answer == KVC_SEEN_NEW;
    return KVCAP_OK;
}

kvcap_code kvc_intake_take(struct kvc_intake *intake, const struct kvc_request *request,
                           struct kvc_taken *ret_taken, kvcap_error *err)
{
    struct kvc_taken taken = { 0 };
    const struct kvc_span no_scope = { 0 };
    switch (kvc_seen_add(&intake->seen, intake->sha, no_scope, request->request_id, NULL)) {
    case KVC_SEEN_BEFORE:
        return refuse(intake, KVC_EVIDENCE_DUPLICATE, "request_id",
                      "an earlier request has this request_id", err);
    case KVC_SEEN_NO_MEMORY:
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the set of request ids needs more memory");
    case KVC_SEEN_NEW:
        break;
    }
    kvcap_code rc = cohort_number(intake, request->cohort, &taken.cohort, err);
    if (rc == KVCAP_OK && intake->counts_prefixes && request->prefix_id.text != NULL)
        rc = take_prefix(intake, request, &taken, err);
    if (rc != KVCAP_OK)
        return rc;
    intake->requests_count++;
    *ret_taken = taken;
    return KVCAP_OK;
}
