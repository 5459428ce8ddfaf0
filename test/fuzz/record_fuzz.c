/* Goal: whatever text comes, read and seal make a record of it or refuse it, as JSON and as YAML.
 *
 * What must hold: a result is written exactly when nothing is refused, and a refusal has a code, a
 * slug and a sentence; what is accepted reads again from its own canonical text, with the same id and
 * the same text; taken for YAML that text is the same record or none; verify answers. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kvcap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void must_be_the_same(const kvcap_record *record, const char *json, int32_t syntax)
{
    kvcap_record *again = NULL;
    kvcap_code rc = kvcap_record_read(json, strlen(json), syntax, &again, NULL);
    require(rc == KVCAP_OK || syntax == KVCAP_YAML);
    if (rc != KVCAP_OK)
        return;
    require(strcmp(kvcap_record_id(again), kvcap_record_id(record)) == 0);
    require(strcmp(kvcap_record_json(again), json) == 0);
    require(kvcap_record_kind(again) == kvcap_record_kind(record));
    kvcap_record_free(again);
}

static void check(kvcap_code rc, kvcap_record *record, const kvcap_error *err)
{
    require((rc == KVCAP_OK) == (record != NULL));
    if (rc != KVCAP_OK) {
        require(err->code == rc && err->slug[0] != '\0' && err->text[0] != '\0');
        require(strcmp(kvcap_code_text(rc), "unknown code") != 0);
        return;
    }
    int32_t outcome = 0;
    const kvcap_record *named[] = { record };
    must_be_the_same(record, kvcap_record_json(record), KVCAP_JSON);
    must_be_the_same(record, kvcap_record_json(record), KVCAP_YAML);
    require(kvcap_verify(record, named, 1, &outcome, NULL) == KVCAP_OK);
    require(outcome >= KVCAP_INTACT && outcome <= KVCAP_INCOMPLETE);
    kvcap_record_free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    for (int32_t syntax = KVCAP_JSON; syntax <= KVCAP_YAML; syntax++) {
        kvcap_error err;
        kvcap_record *record = NULL;
        kvcap_code rc = kvcap_record_read(text, size, syntax, &record, &err);
        check(rc, record, &err);
        record = NULL;
        rc = kvcap_record_seal(text, size, syntax, NULL, 0, &record, &err);
        check(rc, record, &err);
    }
    return 0;
}
