/* planner.h - a plan from files, for plan, verify and the example.
 *
 * Room:   face/cli.
 * Knows:  all.
 */
#ifndef KVC_FACE_CLI_PLANNER_H
#define KVC_FACE_CLI_PLANNER_H

#include "face/cli/library.h"

/* The plan of evidence that is one object or a stream. */
kvcap_code kvc_plan_entry(const kvcap_record *model, const kvcap_record *contract,
                          const struct kvc_entry *evidence, kvcap_plan **ret_plan,
                          kvcap_error *err);

/* A window as a stream, by itself: its shape, its id and, where a contract is at hand, its bounds. */
kvcap_code kvc_check_stream(const struct kvc_entry *evidence, const struct kvc_record *contract,
                            char ret_id[KVC_ID_ROOM], kvcap_error *err);

/* The reference example's three records.  Each is freed by the caller. */
kvcap_code kvc_example(kvcap_record *ret_records[3], kvcap_error *err);

#endif /* KVC_FACE_CLI_PLANNER_H */
