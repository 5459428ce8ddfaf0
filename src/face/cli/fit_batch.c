/* fit_batch.c - kvcap fit --batch: questions a line each in, answers a line each out, in their order.
 *
 * Room:   face/cli.
 * Knows:  all.
 *
 *   read --> [block][block][block]... --> written in the order of reading
 *                |      |      |
 *             worker  worker  worker      each with a fitter and a few opened models of its own
 *
 * A block is some hundred lines.  There are twice as many as workers and no more, so memory is bounded
 * by them, however long the input is.  When no more input is at hand, what is answered is written
 * before waiting: who asks line by line gets each answer. */

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "face/cli/fit.h"
#include "fit/line.h"
#include "os/os.h"

#define BLOCK_BYTES ((size_t)256 * 1024) /* read at once; one line may be longer */
#define JOBS_MAX 256
#define MODELS_KEPT 16 /* opened models a worker keeps */

/* ---- Opened models. */

struct shelf {
    const struct kvc_call *call;
    struct slot {
        char *name;
        int32_t how;
        struct kvc_library library; /* owns the model */
        const kvcap_record *model;
        uint64_t used; /* when: the least recently used one makes room */
    } slots[MODELS_KEPT];
    uint64_t clock;
};

static void clear_slot(struct slot *slot)
{
    if (slot->name == NULL)
        return;
    kvc_library_drop(&slot->library);
    free(slot->name);
    *slot = (struct slot){ .name = NULL };
}

static struct slot *slot_of(struct shelf *shelf, int32_t how, const char *name)
{
    struct slot *oldest = &shelf->slots[0];
    for (size_t i = 0; i < MODELS_KEPT; i++) {
        struct slot *slot = &shelf->slots[i];
        if (slot->name != NULL && slot->how == how && strcmp(slot->name, name) == 0)
            return slot;
        if (slot->used < oldest->used)
            oldest = slot;
    }
    clear_slot(oldest);
    return oldest;
}

static kvcap_code open_model(void *context, int32_t how, const char *name,
                             const kvcap_record **ret_model, kvcap_error *err)
{
    struct shelf *shelf = context;
    struct slot *slot = slot_of(shelf, how, name);
    slot->used = ++shelf->clock;
    if (slot->name != NULL) {
        *ret_model = slot->model;
        return KVCAP_OK;
    }
    struct kvc_entry *entry;
    bool made;
    if (how != KVCAP_MODEL_NAME && !kvc_path_exists(name))
        return kvc_fail(err, KVC_FILE_OPEN, name, "there is no such file");
    kvc_library_open(&slot->library, shelf->call);
    kvcap_code rc = kvc_model_of(&slot->library, name, NULL, NULL, &entry, &made, err);
    char *copy = rc == KVCAP_OK ? strdup(name) : NULL;
    if (rc == KVCAP_OK && copy == NULL)
        rc = kvc_fail(err, KVC_MEMORY_FULL, name, "the model needs more memory");
    if (rc != KVCAP_OK) {
        kvc_library_drop(&slot->library);
        return rc;
    }
    slot->name = copy;
    slot->how = how;
    slot->model = *ret_model = entry->handle;
    return KVCAP_OK;
}

static void drop_shelf(struct shelf *shelf)
{
    for (size_t i = 0; i < MODELS_KEPT; i++)
        clear_slot(&shelf->slots[i]);
}

/* ---- Blocks. */

enum block_state { BLOCK_EMPTY, BLOCK_FILLED, BLOCK_TAKEN, BLOCK_DONE };

struct buffer {
    char *bytes;
    size_t length, room;
};

struct block {
    enum block_state state;
    struct buffer in, out; /* whole lines */
    uint64_t lines;
    bool any_bad, no_memory;
};

struct batch {
    const struct kvc_call *call;
    pthread_mutex_t lock;
    pthread_cond_t filled, done;
    struct block *blocks;
    size_t blocks_count;
    size_t next_to_take;
    bool over; /* no block will be filled any more */
};

static bool reserve(struct buffer *buffer, size_t more)
{
    if (buffer->room - buffer->length >= more)
        return true;
    size_t room = buffer->room == 0 ? 2 * BLOCK_BYTES : 2 * buffer->room;
    while (room - buffer->length < more)
        room *= 2;
    char *grown = realloc(buffer->bytes, room);
    if (grown == NULL)
        return false;
    buffer->bytes = grown;
    buffer->room = room;
    return true;
}

static bool append(struct buffer *buffer, const char *bytes, size_t length)
{
    if (length == 0)
        return true;
    if (!reserve(buffer, length))
        return false;
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    return true;
}

static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
            return false;
    }
    return true;
}

static void answer_line(kvcap_fitter *fitter, struct block *block, const char *line, size_t length)
{
    kvcap_fit_answer answer = { .struct_size = sizeof answer };
    if (is_blank(line, length))
        return;
    if (kvcap_fitter_answer(fitter, line, length, &answer, NULL) != KVCAP_OK) {
        block->no_memory = true;
        return;
    }
    block->lines++;
    block->any_bad = block->any_bad || answer.code != KVCAP_OK;
    if (!append(&block->out, answer.json, (size_t)answer.length) || !append(&block->out, "\n", 1))
        block->no_memory = true;
}

static void answer_block(kvcap_fitter *fitter, struct block *block)
{
    const char *at = block->in.bytes, *end = at + block->in.length;
    block->out.length = 0;
    while (at < end && !block->no_memory) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline == NULL ? end : newline;
        answer_line(fitter, block, at, (size_t)(stop - at));
        at = stop + 1;
    }
}

static void *work(void *context)
{
    struct batch *batch = context;
    struct shelf shelf = { .call = batch->call };
    kvcap_fitter *fitter = NULL;
    bool ready = kvcap_fitter_new(open_model, &shelf, &fitter, NULL) == KVCAP_OK;
    pthread_mutex_lock(&batch->lock);
    for (;;) {
        struct block *block = &batch->blocks[batch->next_to_take];
        if (block->state != BLOCK_FILLED) {
            if (batch->over)
                break;
            pthread_cond_wait(&batch->filled, &batch->lock);
            continue;
        }
        block->state = BLOCK_TAKEN;
        batch->next_to_take = (batch->next_to_take + 1) % batch->blocks_count;
        pthread_mutex_unlock(&batch->lock);
        if (ready)
            answer_block(fitter, block);
        else
            block->no_memory = true;
        pthread_mutex_lock(&batch->lock);
        block->state = BLOCK_DONE;
        pthread_cond_signal(&batch->done);
    }
    pthread_mutex_unlock(&batch->lock);
    kvcap_fitter_free(fitter);
    drop_shelf(&shelf);
    return NULL;
}

/* ---- Reading and writing. */

struct source {
    struct buffer rest; /* the beginning of a line whose end has not come */
    bool ended;
};

/* Whether a read would come back at once. */
static bool is_at_hand(void)
{
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    return poll(&input, 1, 0) > 0;
}

static char *last_newline(char *bytes, size_t length)
{
    while (length > 0 && bytes[length - 1] != '\n')
        length--;
    return length == 0 ? NULL : bytes + length - 1;
}

/* Fills a block with whole lines: at least one, unless the input ends.  False: no memory. */
static kvcap_code fill(struct source *source, struct block *block, kvcap_error *err)
{
    struct buffer *in = &block->in;
    block->lines = 0;
    in->length = 0;
    if (!append(in, source->rest.bytes, source->rest.length))
        return kvc_fail(err, KVC_MEMORY_FULL, "", "a line needs more memory");
    source->rest.length = 0;
    while (!source->ended) {
        if (in->length > KVC_FIT_LINE_BYTES_MAX + BLOCK_BYTES)
            return kvc_fail(err, KVC_RECORD_TOO_LARGE, "", "a line is longer than 16 MiB");
        if (!reserve(in, BLOCK_BYTES))
            return kvc_fail(err, KVC_MEMORY_FULL, "", "a line needs more memory");
        ssize_t got = read(STDIN_FILENO, in->bytes + in->length, BLOCK_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return kvc_fail(err, KVC_FILE_READ, "-", "standard input cannot be read: %s",
                            strerror(errno));
        source->ended = got == 0;
        char *fresh = in->bytes + in->length;
        char *newline = last_newline(fresh, (size_t)got);
        in->length += (size_t)got;
        if (newline == NULL)
            continue;
        size_t whole = (size_t)(newline + 1 - in->bytes);
        if (!append(&source->rest, newline + 1, in->length - whole))
            return kvc_fail(err, KVC_MEMORY_FULL, "", "a line needs more memory");
        in->length = whole;
        break;
    }
    return KVCAP_OK;
}

struct pace {
    uint64_t lines, shown_ns, began_ns;
    bool shows;
};

static void show_pace(struct pace *pace)
{
    uint64_t now = kvc_clock_ns();
    if (!pace->shows || now - pace->shown_ns < UINT64_C(500000000))
        return;
    pace->shown_ns = now;
    fprintf(stderr, "\rkvcap: %llu answers, %llu a second ", (unsigned long long)pace->lines,
            (unsigned long long)(pace->lines * UINT64_C(1000000000) / (now - pace->began_ns + 1)));
}

/* Waits for a block's answers and writes them. */
static kvcap_code deliver(struct batch *batch, struct block *block, struct pace *pace,
                          bool *any_bad, kvcap_error *err)
{
    pthread_mutex_lock(&batch->lock);
    while (block->state != BLOCK_DONE)
        pthread_cond_wait(&batch->done, &batch->lock);
    block->state = BLOCK_EMPTY;
    pthread_mutex_unlock(&batch->lock);
    *any_bad = *any_bad || block->any_bad;
    pace->lines += block->lines;
    if (block->no_memory)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the answers need more memory");
    if (fwrite(block->out.bytes, 1, block->out.length, stdout) != block->out.length ||
        fflush(stdout) != 0)
        return kvc_fail(err, KVC_FILE_WRITE, "-", "standard output cannot be written: %s",
                        strerror(errno));
    show_pace(pace);
    return KVCAP_OK;
}

static void hand_over(struct batch *batch, struct block *block)
{
    pthread_mutex_lock(&batch->lock);
    block->state = BLOCK_FILLED;
    pthread_cond_signal(&batch->filled);
    pthread_mutex_unlock(&batch->lock);
}

/* Blocks tail .. head - 1 are with the workers.  More is read while there is room and input at hand. */
static kvcap_code pump(struct batch *batch, bool *any_bad, kvcap_error *err)
{
    struct source source = { .ended = false };
    struct pace pace = { .began_ns = kvc_clock_ns(), .shows = isatty(STDERR_FILENO) };
    size_t head = 0, tail = 0;
    kvcap_code rc = KVCAP_OK;
    while (rc == KVCAP_OK && (!source.ended || tail < head)) {
        bool room = head - tail < batch->blocks_count;
        if (!source.ended && room && (tail == head || is_at_hand())) {
            struct block *block = &batch->blocks[head % batch->blocks_count];
            rc = fill(&source, block, err);
            if (rc == KVCAP_OK && block->in.length > 0) {
                hand_over(batch, block);
                head++;
            }
        } else {
            rc = deliver(batch, &batch->blocks[tail % batch->blocks_count], &pace, any_bad, err);
            tail++;
        }
    }
    if (pace.shows && pace.lines > 0)
        fprintf(stderr, "\n");
    free(source.rest.bytes);
    return rc;
}

static size_t start(struct batch *batch, pthread_t *threads, size_t jobs)
{
    size_t started = 0;
    while (started < jobs && pthread_create(&threads[started], NULL, work, batch) == 0)
        started++;
    return started;
}

static void stop(struct batch *batch, const pthread_t *threads, size_t started)
{
    pthread_mutex_lock(&batch->lock);
    batch->over = true;
    pthread_cond_broadcast(&batch->filled);
    pthread_mutex_unlock(&batch->lock);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < batch->blocks_count; i++) {
        free(batch->blocks[i].in.bytes);
        free(batch->blocks[i].out.bytes);
    }
    free(batch->blocks);
}

static uint64_t cores(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > JOBS_MAX ? JOBS_MAX : (uint64_t)online;
}

/* A line says all of its question, so what would say a part of it here is refused, not passed over. */
static kvcap_code check_call(const struct kvc_call *call, kvcap_error *err)
{
    static const char *const TAKEN[] = { "batch", "jobs", "json" };
    if (call->words_count > 0)
        return kvc_fail(err, KVC_USAGE_CONFLICT, "--batch",
                        "a batch takes its questions from standard input, not from a command line");
    for (size_t i = 0; i < call->given_count; i++) {
        const char *name = call->given[i].flag->name;
        size_t j = 0;
        while (j < sizeof TAKEN / sizeof TAKEN[0] && strcmp(name, TAKEN[j]) != 0)
            j++;
        if (j == sizeof TAKEN / sizeof TAKEN[0])
            return kvc_fail(err, KVC_USAGE_CONFLICT, "--batch",
                            "%s%s is of one question, and a batch's stand in its lines",
                            name[1] == '\0' ? "-" : "--", name);
    }
    return KVCAP_OK;
}

int kvc_fit_batch(const struct kvc_call *call)
{
    pthread_t threads[JOBS_MAX];
    kvcap_error error;
    uint64_t jobs = cores();
    bool any_bad = false;
    kvcap_code rc = check_call(call, &error);
    if (rc == KVCAP_OK)
        rc = kvc_count_flag(call, "jobs", 1, JOBS_MAX, &jobs, &error);
    struct batch batch = { .call = call, .blocks_count = 2 * (size_t)jobs };
    if (rc != KVCAP_OK)
        return kvc_refused(call, &error);
    batch.blocks = calloc(batch.blocks_count, sizeof *batch.blocks);
    if (batch.blocks == NULL) {
        kvc_fail(&error, KVC_MEMORY_FULL, "", "the batch needs more memory");
        return kvc_refused(call, &error);
    }
    pthread_mutex_init(&batch.lock, NULL);
    pthread_cond_init(&batch.filled, NULL);
    pthread_cond_init(&batch.done, NULL);
    size_t started = start(&batch, threads, (size_t)jobs);
    rc = started == 0 ? kvc_fail(&error, KVC_MEMORY_FULL, "", "no thread could be started")
                      : pump(&batch, &any_bad, &error);
    stop(&batch, threads, started);
    if (rc != KVCAP_OK)
        return kvc_refused(call, &error);
    return any_bad ? KVC_EXIT_INPUT : KVC_EXIT_YES;
}
