/* engine.c - see engine.h for its promises.  The only file that includes the engine's headers.
 *
 * A context is made in a child: an assertion that fails in the engine ends that child alone, and what
 * one context left behind is not there for the next. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "live/engine.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <llama.h>

static int log_to =
    -1; /* a pipe; negative while a model is loaded, and errors alone are of interest */

static void put(const char *text)
{
    for (size_t left = strlen(text); log_to >= 0 && left > 0;) {
        ssize_t wrote = write(log_to, text, left);
        if (wrote < 0)
            _exit(LIVE_ENDED);
        text += wrote;
        left -= (size_t)wrote;
    }
}

/* ---- Bytes.  The lines have two decimals of a MiB, which hides ten thousand bytes. */

struct weight {
    uint64_t k, v, r, s, state;
};

/* By the names that the engine gives: cache_k_l0 and cache_idx_v_l7, cache_r_l0, cache_s_l0 and cache_ple_r_l0
 * (recurrent), dsv4_csa_state_kv_l2. */
static uint64_t *part_of(struct weight *weight, const char *name)
{
    if (strncmp(name, "dsv4_", 5) == 0 || strncmp(name, "cache_ple_r_l", 13) == 0)
        return &weight->state;
    if (strncmp(name, "cache_r_l", 9) == 0)
        return &weight->r;
    if (strncmp(name, "cache_s_l", 9) == 0)
        return &weight->s;
    if (strncmp(name, "cache_", 6) == 0 && strstr(name, "k_l") != NULL)
        return &weight->k;
    if (strncmp(name, "cache_", 6) == 0 && strstr(name, "v_l") != NULL)
        return &weight->v;
    return NULL;
}

static uint64_t total; /* of all caches so far */

static void put_weight(const struct weight *weight)
{
    char text[256];
    total += weight->k + weight->v + weight->r + weight->s + weight->state;
    if (weight->k + weight->v > 0) {
        snprintf(text, sizeof text, LIVE_BYTES "kv k=%" PRIu64 " v=%" PRIu64 "\n", weight->k,
                 weight->v);
        put(text);
    }
    if (weight->r + weight->s > 0) {
        snprintf(text, sizeof text, LIVE_BYTES "recurrent r=%" PRIu64 " s=%" PRIu64 "\n", weight->r,
                 weight->s);
        put(text);
    }
    if (weight->state > 0) {
        snprintf(text, sizeof text, LIVE_BYTES "state %" PRIu64 "\n", weight->state);
        put(text);
    }
}

/* Stands before the library's own function of this name, which the engine calls once for each of its
 * caches, when all tensors of that are known and none has memory. */
struct ggml_backend_buffer *ggml_backend_alloc_ctx_tensors_from_buft(
    struct ggml_context *context, ggml_backend_buffer_type_t type)
{
    static struct ggml_backend_buffer *(*own)(struct ggml_context *, ggml_backend_buffer_type_t);
    struct weight weight = { 0 };
    if (own == NULL)
        *(void **)&own = dlsym(RTLD_NEXT, __func__);
    struct ggml_tensor *tensor = ggml_get_first_tensor(context);
    for (; tensor != NULL; tensor = ggml_get_next_tensor(context, tensor)) {
        uint64_t *part = tensor->view_src == NULL ? part_of(&weight, tensor->name) : NULL;
        if (part != NULL)
            *part += ggml_nbytes(tensor);
    }
    put_weight(&weight);
    return own(context, type);
}

/* The same: a cache's zeros are most of the time that a context takes, and no token is ever decoded here.
 * What they are in stays allocated and untouched. */
void ggml_backend_buffer_clear(ggml_backend_buffer_t buffer, uint8_t value)
{
    (void)buffer, (void)value;
}

/* ---- The engine. */

static bool is_quiet; /* what was logged last was not for us: what goes on with it is not either */

static void on_log(enum ggml_log_level level, const char *text, void *context)
{
    (void)context;
    if (log_to < 0 && level == GGML_LOG_LEVEL_ERROR)
        fputs(text, stderr);
    if (level == GGML_LOG_LEVEL_CONT ? !is_quiet : level != GGML_LOG_LEVEL_DEBUG)
        put(text);
    if (level != GGML_LOG_LEVEL_CONT)
        is_quiet = level == GGML_LOG_LEVEL_DEBUG;
}

/* The engine aborts after this. */
static void on_abort(const char *message)
{
    put(message);
    put("\n");
}

void live_engine_begin(const char *folder)
{
    llama_log_set(on_log, NULL);
    ggml_set_abort_callback(on_abort);
    ggml_backend_load_all_from_path(folder);
    llama_backend_init();
}

const char *live_engine_version(void)
{
    return llama_version();
}

static enum ggml_type type_of(const char *name)
{
    for (int type = 0; type < GGML_TYPE_COUNT; type++) {
        const char *known = ggml_type_name((enum ggml_type)type);
        if (known != NULL && strcmp(known, name) == 0)
            return (enum ggml_type)type;
    }
    fprintf(stderr, "live: the engine knows no type %s\n", name);
    exit(2);
}

static struct llama_context_params params_of(const struct live_options *options)
{
    struct llama_context_params params = llama_context_default_params();
    params.n_ctx = options->n_ctx;
    params.n_seq_max = options->n_seq_max != 0 ? options->n_seq_max : params.n_seq_max;
    params.n_batch = options->n_batch != 0 ? options->n_batch : params.n_batch;
    params.n_ubatch = options->n_ubatch != 0 ? options->n_ubatch : params.n_ubatch;
    params.n_rs_seq = options->n_rs_seq;
    params.type_k = options->type_k != NULL ? type_of(options->type_k) : params.type_k;
    params.type_v = options->type_v != NULL ? type_of(options->type_v) : params.type_v;
    if (options->flash != LIVE_FLASH_AUTO)
        params.flash_attn_type = options->flash == LIVE_FLASH_ON ? LLAMA_FLASH_ATTN_TYPE_ENABLED
                                                                 : LLAMA_FLASH_ATTN_TYPE_DISABLED;
    params.kv_unified = options->is_unified;
    params.swa_full = options->swa_full;
    params.n_threads = params.n_threads_batch = 1;
    return params;
}

static struct llama_model *model; /* that is loaded */

bool live_engine_load(const char *path)
{
    if (model != NULL)
        llama_model_free(model);
    model = llama_model_load_from_file(path, llama_model_default_params());
    return model != NULL;
}

static int make(const struct live_options *options, int pipe_end)
{
    if (model == NULL)
        return LIVE_NO_MODEL;
    log_to = pipe_end;
    total = 0; /* the model's own tensors are not counted */
    struct llama_context *context = llama_init_from_model(model, params_of(options));
    char text[64];
    snprintf(text, sizeof text, LIVE_BYTES "all %" PRIu64 "\n", total);
    if (context != NULL)
        put(text);
    return context == NULL ? LIVE_NO_CONTEXT : LIVE_MADE;
}

static void stop(const char *what)
{
    perror(what);
    exit(2);
}

void live_engine_ask(const struct live_options *options, struct live_report *ret_report)
{
    int ends[2], status;
    if (pipe(ends) != 0)
        stop("pipe");
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        stop("fork");
    if (child == 0) {
        close(ends[0]);
        _exit(make(options, ends[1]));
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got = 1; got > 0 && length < LIVE_LOG_ROOM - 1;) {
        got = read(ends[0], ret_report->log + length, LIVE_LOG_ROOM - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    }
    ret_report->log[length] = '\0';
    close(ends[0]);
    if (waitpid(child, &status, 0) != child)
        stop("waitpid");
    ret_report->outcome = WIFEXITED(status) ? (enum live_outcome)WEXITSTATUS(status) : LIVE_ENDED;
}
