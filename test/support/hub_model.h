/* hub_model.h - small models on a hub of ours: their files, and the answers that serve them.
 *
 * In:     a list of files; a commit; how the server behaves.
 * Out:    answers for hub_server.h: the listing of a revision, then each file.
 */
#ifndef KVC_TEST_HUB_MODEL_H
#define KVC_TEST_HUB_MODEL_H

#include "base/span.h"
#include "support/hub_server.h"

#define HUB_COMMIT "0123456789abcdef0123456789abcdef01234567"
#define HUB_NEXT_COMMIT "1123456789abcdef0123456789abcdef01234567"

struct hub_file {
    const char *name; /* as the listing has it; in the URL it must need no escape, see `escaped` */
    struct kvc_span bytes;
    uint64_t zeros;      /* weights, that nobody should ask for */
    const char *lines;   /* of its answer's header */
    const char *escaped; /* its name in the URL; NULL: the same */
};

struct hub_model {
    const char *repository; /* "org/name" */
    const char *revision;   /* as it stands in the URL */
    const char *commit;
    enum hub_manner manner;
    const struct hub_file *files;
    size_t files_count;
};

/* The answers live until the program ends, and so does what they point to. */
size_t hub_model_answers(const struct hub_model *model, struct hub_answer *ret_answers,
                         size_t room);

/* A safetensors header: 8 bytes that say `length`, then so many, a JSON object with blanks. */
struct kvc_span hub_safetensors(size_t length);

#endif /* KVC_TEST_HUB_MODEL_H */
