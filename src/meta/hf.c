/* hf.c - see hf.h for the room and its promises. */

#include "meta/hf.h"

#include "json/scan.h"

kvcap_code kvc_hf_read(const char *artefact, struct kvc_span text, struct kvc_arena *arena,
                       struct kvc_facts *ret_facts, kvcap_error *err)
{
    struct kvc_value *tree;
    kvcap_code rc = kvc_scan(arena, text, KVC_CONFIG_BYTES_MAX, KVC_SCAN_FOREIGN, &tree, err);
    if (rc != KVCAP_OK)
        return rc;
    if (tree->type != KVC_OBJECT)
        return kvc_fail(err, KVC_METADATA_NOT_A_MODEL, "", "a config.json is one object");
    *ret_facts = (struct kvc_facts){ .artefact = artefact, .tree = tree };
    return KVCAP_OK;
}
