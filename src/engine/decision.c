/* decision.c - see decision.h for the room and its promises. */

#include "engine/decision.h"

const char *kvc_decision_name(enum kvc_decision decision)
{
    static const char *const NAMES[KVC_DECISION_COUNT] = {
        [KVC_DECISION_NONE] = "",
        [KVC_DECISION_FIT] = "FIT",
        [KVC_DECISION_EXCEEDS_CAPACITY] = "EXCEEDS_CAPACITY",
        [KVC_DECISION_UNDETERMINED] = "UNDETERMINED",
        [KVC_DECISION_REFUSED] = "REFUSED",
    };
    return NAMES[decision];
}
