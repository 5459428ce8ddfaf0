/* unit.h - quantities as people write them, and back.
 *
 * Room:   base/ - pure.
 * In:     "80GiB", "1.5GiB", "4096", "128k".
 * Out:    exact integers, or a refusal: nothing is rounded on the way in.
 * Knows:  base/.
 *
 * KiB, MiB, GiB, TiB are binary; KB, MB, GB, TB decimal.  The way out, to three decimals, is the only
 * place where a number of bytes is rounded for reading.
 */
#ifndef KVC_BASE_UNIT_H
#define KVC_BASE_UNIT_H

#include <stdint.h>

#include "base/fail.h"
#include "base/span.h"

/* Bytes with an optional unit and, with a unit, an optional decimal fraction that comes out whole.
 * `at` names the flag or member in the refusal. */
kvcap_code kvc_unit_bytes(struct kvc_span text, const char *at, uint64_t *ret_bytes,
                          kvcap_error *err);

/* A count with an optional k or m (x 1024, x 1024^2: "128k" tokens are 131,072), upper or lower. */
kvcap_code kvc_unit_count(struct kvc_span text, const char *at, uint64_t *ret_count,
                          kvcap_error *err);

/* Room for any text that the two functions below write. */
#define KVC_UNIT_ROOM 40

/* "13.800": GiB with three decimals, to nearest, ties to even. */
void kvc_unit_gib(uint64_t bytes, char ret_text[KVC_UNIT_ROOM]);

/* The largest binary unit that holds the bytes exactly: "576 MiB", "1 KiB", "1000 B". */
void kvc_unit_exact(uint64_t bytes, char ret_text[KVC_UNIT_ROOM]);

/* For reading: the largest binary unit of which there is one, with up to three decimals, to nearest,
 * ties to even: "1.75 GiB", "576 MiB", "9.561 GiB". */
void kvc_unit_readable(uint64_t bytes, char ret_text[KVC_UNIT_ROOM]);

/* "1,677,721,600". */
void kvc_unit_thousands(uint64_t value, char ret_text[KVC_UNIT_ROOM]);

#endif /* KVC_BASE_UNIT_H */
