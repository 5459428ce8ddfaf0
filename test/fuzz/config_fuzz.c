/* Goal: whatever text comes as a config.json, it becomes a model or is refused as metadata.
 *
 * What must hold: a model is made exactly when nothing is refused; it reads again from its own text
 * with the same id, and is intact. */

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kvcap_record *model = NULL, *again = NULL;
    kvcap_error err;
    kvcap_code rc = kvcap_model_from_config((const char *)data, size, "name", NULL, &model, &err);
    require((rc == KVCAP_OK) == (model != NULL));
    if (rc != KVCAP_OK) {
        require(rc == KVCAP_E_METADATA && err.code == rc && err.slug[0] != '\0');
        return 0;
    }
    int32_t outcome = 0;
    const char *json = kvcap_record_json(model);
    require(kvcap_record_read(json, strlen(json), KVCAP_JSON, &again, &err) == KVCAP_OK);
    require(strcmp(kvcap_record_id(again), kvcap_record_id(model)) == 0);
    require(kvcap_verify(again, NULL, 0, &outcome, &err) == KVCAP_OK && outcome == KVCAP_INTACT);
    kvcap_record_free(again);
    kvcap_record_free(model);
    return 0;
}
