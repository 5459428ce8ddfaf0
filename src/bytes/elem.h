/* elem.h - what cache elements weigh, format by format.
 *
 * Room:   bytes/ - pure.
 * In:     a format and a row: the heads of one token in one layer.
 * Out:    bytes, exactly, or a refusal where the format's group does not divide the row.
 * Knows:  base/, shape/.
 *
 * No format here has a number of bytes an element.  It has a group - q8_0 keeps 32 elements in 34
 * bytes - and some keep a scale a head and token beside them.  A row is whole groups or refused.
 */
#ifndef KVC_BYTES_ELEM_H
#define KVC_BYTES_ELEM_H

#include <stdint.h>

#include "base/fail.h"
#include "shape/format.h"

struct kvc_layout {
    uint32_t group_elements; /* 0: the format weighs whole tokens instead (fp8_ds_mla) */
    uint32_t group_bytes;
    uint32_t head_bytes; /* scales kept a head and token, beside the elements */
};

/* The layout of a format.  Static. */
const struct kvc_layout *kvc_layout_of(enum kvc_format format);

/* Bytes of one token's row of `heads` heads of `dim` elements.  `at` names the format's member in
 * a refusal.  The format must have a layout of groups. */
kvcap_code kvc_row_bytes(enum kvc_format format, uint64_t heads, uint64_t dim, const char *at,
                         uint64_t *ret_bytes, kvcap_error *err);

/* Bytes of `elements` elements without heads: recurrent state.  Formats with head_bytes have no
 * meaning there and are refused where a model is read. */
kvcap_code kvc_elements_bytes(enum kvc_format format, uint64_t elements, const char *at,
                              uint64_t *ret_bytes, kvcap_error *err);

/* fp8_ds_mla is a whole token of a latent state: 656 bytes for 512 + 64 elements, 584 for 448 + 64.
 * 0 when no such token exists. */
uint64_t kvc_ds_mla_token_bytes(uint32_t latent_dim, uint32_t rope_dim);

/* An indexer's own fp8 row: a byte an element and a 4-byte scale for every 128 of them. */
uint64_t kvc_index_fp8_bytes(uint32_t index_dim);

#endif /* KVC_BYTES_ELEM_H */
