/* jansson_oracle.h - a second opinion on our scanner.
 *
 * In:     a text, and what kvc_scan made of it.
 * Out:    whether jansson agrees, in acceptance and in every value; or why it may not.
 *
 * The list below is all that may differ.  Each entry is checked, not assumed: the text must hold
 * what the entry names.  jansson is asked to reject duplicate keys, to take any value at the root,
 * and to allow \u0000 in texts; its own depth limit of 2048 lies beyond ours.
 */
#ifndef KVC_TEST_JANSSON_ORACLE_H
#define KVC_TEST_JANSSON_ORACLE_H

#include "json/scan.h"

enum oracle_verdict {
    ORACLE_SAME,          /* both refuse, or both accept with the same values */
    ORACLE_FRACTION,      /* we refuse a fraction or exponent in a record */
    ORACLE_NEGATIVE_ZERO, /* we refuse -0 in a record; jansson makes it 0 */
    ORACLE_UNSAFE,        /* we refuse an integer past 2^53-1 in a record; jansson has 64 bits */
    ORACLE_DEPTH,         /* we refuse the 65th level */
    ORACLE_NUL_LOST,      /* we refuse a NUL after a number or word; jansson 2.14 passes over it */
    ORACLE_NUL_IN_KEY,    /* jansson refuses a NUL in a key even when it allows it in texts */
    ORACLE_NAN,           /* we keep NaN and Infinity in foreign text */
    ORACLE_WIDE_INTEGER,  /* we keep an integer past 64 bits in foreign text */
    ORACLE_HUGE_REAL,     /* we keep a real past a double in foreign text */
    ORACLE_VERDICTS_COUNT,
    ORACLE_DIFFERS = ORACLE_VERDICTS_COUNT, /* none of these: somebody is wrong */
};

/* `root` when rc is KVCAP_OK, else `err`. */
enum oracle_verdict jansson_verdict(struct kvc_span text, enum kvc_scan_mode mode, kvcap_code rc,
                                    const struct kvc_value *root, const kvcap_error *err);

#endif /* KVC_TEST_JANSSON_ORACLE_H */
