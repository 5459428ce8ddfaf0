/* yaml.h - YAML mapped onto the values that JSON would have given.
 *
 * Room:   json/ - excused from the core: it calls libyaml.
 * In:     one YAML document, as people write records.
 * Out:    the tree that scan.c would make of the same record in JSON.
 * Knows:  json/scan.h, for the rules that both share.
 *
 * A subset of YAML's core schema: a plain scalar that is written as a JSON integer is a number,
 * true, false and null are themselves, an empty plain scalar is null, and everything else - no,
 * 0x10, 1_000, 2026-01-01, 1.5, anything in quotes - is text, which then meets a type check and
 * fails by name.  Anchors, aliases, tags, merge keys and further documents are refused, so that
 * nothing that a reader of the file sees can mean something else.
 */
#ifndef KVC_JSON_YAML_H
#define KVC_JSON_YAML_H

#include "json/scan.h"

/* As kvc_scan in record mode.  The tree holds copies; `text` need not outlive the call. */
kvcap_code kvc_yaml(struct kvc_arena *arena, struct kvc_span text, size_t bytes_max,
                    struct kvc_value **ret_root, kvcap_error *err);

#endif /* KVC_JSON_YAML_H */
