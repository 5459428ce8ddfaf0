/* fixture.h - the drafts of test/records, sealed, and what tests do with records all the time.
 *
 * In:     a path below test/records, such as "window/contract.yaml".
 * Out:    a record; whoever gets it frees it.
 *
 * A draft names another as `file:NAME` beside it, as people write it for `kvcap seal`; here the
 * named one is sealed first and its id put in.  Anything that goes wrong fails the running test.
 */
#ifndef KVC_TEST_FIXTURE_H
#define KVC_TEST_FIXTURE_H

#include <stdbool.h>

#include "base/span.h"
#include "kvcap.h"

/* A file below the source folder; free the text. */
struct kvc_span fixture_text(const char *path);

/* A draft below test/records as text, with ids for its files, in the syntax that its name says. */
struct kvc_span fixture_draft(const char *path, int32_t *ret_syntax);

kvcap_record *fixture_seal(const char *path);

/* The model, contract and evidence of a folder, in that order. */
struct trio {
    kvcap_record *model, *contract, *evidence;
};

struct trio fixture_trio(const char *model, const char *contract, const char *evidence);
void trio_free(struct trio *trio);
kvcap_plan *trio_plan(const struct trio *trio);

/* A record from a draft in memory, with up to two records at hand (NULL: none). */
kvcap_record *seal_text(struct kvc_span text, int32_t syntax, const kvcap_record *named,
                        const kvcap_record *also);

/* The plan as a record, as a reader would have it. */
kvcap_record *plan_record(const kvcap_plan *plan);

/* The canonical text of a record without its id: a draft again, and what its digest is over.  Free
 * it. */
struct kvc_span without_id(const char *json);

/* Evidence as JSON Lines: the header, with or without its id, then a request a line.  Free it. */
struct kvc_span stream_text(const kvcap_record *evidence, bool with_id);

/* Fails the test with the refusal unless the code is KVCAP_OK. */
void must(kvcap_code rc, const kvcap_error *err);

/* Fails the test unless the refusal has this slug at this place. */
void must_refuse(kvcap_code rc, const kvcap_error *err, const char *slug, const char *at);

#endif /* KVC_TEST_FIXTURE_H */
