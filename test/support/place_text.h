/* place_text.h - whether a text says where something can be read.
 *
 * In:     a source of a built-in table, as people are shown it.
 * Out:    yes or no.  The form is looked at; nothing is fetched.
 */
#ifndef KVC_TEST_PLACE_TEXT_H
#define KVC_TEST_PLACE_TEXT_H

#include <stdbool.h>

/* A host with a dot and a path below it: "github.com/OWNER/REPO", "docs.nvidia.com/page". */
bool has_address(const char *text);

/* Which state of that place: @ and at least 7 hex digits, a date as (2026-08-21), a version as
 * v5.0.0, or a pull request's refs/pr/49. */
bool has_revision(const char *text);

/* A page of who sells or rents devices: it states its own products, and has no revision. */
bool is_vendor_page(const char *text);

#endif /* KVC_TEST_PLACE_TEXT_H */
