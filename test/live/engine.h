/* engine.h - the engine itself: its library, asked for a context, and what it logs then. */
#ifndef KVC_TEST_LIVE_ENGINE_H
#define KVC_TEST_LIVE_ENGINE_H

#include "live/options.h"

enum live_outcome {
    LIVE_MADE,
    LIVE_NO_MODEL,
    LIVE_NO_CONTEXT, /* refused with words */
    LIVE_ENDED,      /* an assertion of the engine ended the process; the log ends in it */
};

#define LIVE_LOG_ROOM (1 << 18)

/* Before a line of the log that the engine did not write: the bytes of the tensors of a cache, as
 * "kv k=8 v=8", "recurrent r=4 s=4" or "state 16"; at the end "all 32".  There is none of a cache without
 * bytes. */
#define LIVE_BYTES "live: bytes of "

struct live_report {
    enum live_outcome outcome;
    char log[LIVE_LOG_ROOM]; /* all that the engine logged from asking for the context on */
};

/* Loads what the library needs from its folder; once, before the first question. */
void live_engine_begin(const char *folder);

/* The model of the contexts to come; false where the file is not loaded, which standard error tells. */
bool live_engine_load(const char *path);

/* Makes a context in a process of its own, which ends then. */
void live_engine_ask(const struct live_options *options, struct live_report *ret_report);

const char *live_engine_version(void);

#endif /* KVC_TEST_LIVE_ENGINE_H */
