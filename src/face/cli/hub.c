/* hub.c - see hub.h for the room and its promises. */

#include "face/cli/hub.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "face/cli/cli.h"
#include "face/hub/cache.h"
#include "face/hub/manifest.h"
#include "os/os.h"
#include "json/scan.h"

#define PROGRAM "kvcap-net"
#define PROGRESS_DESCRIPTOR 3 /* of the child: a terminal, where ours is one */
#define SAID_BYTES_MAX ((size_t)64 * 1024)

extern char **environ;

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the fetch needs more memory");
}

static kvcap_code no_child(kvcap_error *err, int number)
{
    char reason[96];
    if (strerror_r(number, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", number);
    return kvc_fail(err, number == ENOMEM ? KVC_MEMORY_FULL : KVC_NET_NO_PROGRAM, PROGRAM,
                    "the program cannot be run: %s", reason);
}

/* ---- Finding the program. */

/* FOLDER/below/kvcap-net of the running program's folder, where it may be run. */
static const char *beside(struct kvc_arena *arena, const char *folder, const char *below)
{
    const char *path = kvc_hub_path(arena, (const char *const[]){ folder, below, PROGRAM, NULL });
    return path != NULL && access(path, X_OK) == 0 ? path : NULL;
}

/* A path, or the bare name: then the PATH is searched. */
static const char *find_program(struct kvc_arena *arena)
{
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return PROGRAM;
    own[length] = '\0';
    char *slash = strrchr(own, '/');
    if (slash == NULL)
        return PROGRAM;
    *slash = '\0';
    const char *path = beside(arena, own, ".");
    if (path == NULL)
        path = beside(arena, own, "../libexec/kvcap");
    return path == NULL ? PROGRAM : path;
}

/* ---- Running it. */

/* What the child said on one of its outputs, as far as there is room. */
struct said {
    int descriptor; /* -1 once it has ended */
    size_t length;
    char bytes[SAID_BYTES_MAX];
};

struct child {
    pid_t pid;
    struct said out, err;
};

/* A pipe above the standard descriptors: were one of those closed, a pipe could come to lie there,
 * and be overwritten while the child's are laid out. */
static bool open_pipe(int ret_ends[2])
{
    int low[2];
    if (pipe(low) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        ret_ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 16);
        close(low[i]);
    }
    if (ret_ends[0] >= 0 && ret_ends[1] >= 0)
        return true;
    int number = errno;
    for (int i = 0; i < 2; i++) {
        if (ret_ends[i] >= 0)
            close(ret_ends[i]);
    }
    errno = number;
    return false;
}

static int lay_out(posix_spawn_file_actions_t *actions, int out, int err, bool watched)
{
    int failed = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (failed == 0 && watched)
        failed = posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, PROGRESS_DESCRIPTOR);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(actions, err, STDERR_FILENO);
    return failed;
}

static int spawn(const char *program, const char *word, bool offline, int out, int err,
                 pid_t *ret_pid)
{
    const char *argv[8] = { PROGRAM, "fetch", "--json" };
    size_t count = 3;
    bool watched = isatty(STDERR_FILENO) == 1;
    if (offline)
        argv[count++] = "--offline";
    if (watched)
        argv[count++] = "--progress=3"; /* PROGRESS_DESCRIPTOR */
    argv[count++] = "--";
    argv[count++] = word;
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0)
        return failed;
    failed = lay_out(&actions, out, err, watched);
    /* The words are not written to: posix_spawn is older than const. */
    if (failed == 0)
        failed = posix_spawnp(ret_pid, program, &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static kvcap_code start(struct child *child, const char *word, bool offline,
                        struct kvc_arena *arena, kvcap_error *err)
{
    int out[2], said[2];
    if (!open_pipe(out))
        return no_child(err, errno);
    if (!open_pipe(said)) {
        int number = errno;
        close(out[0]);
        close(out[1]);
        return no_child(err, number);
    }
    int failed = spawn(find_program(arena), word, offline, out[1], said[1], &child->pid);
    close(out[1]);
    close(said[1]);
    child->out.descriptor = out[0];
    child->err.descriptor = said[0];
    if (failed == 0)
        return KVCAP_OK;
    close(out[0]);
    close(said[0]);
    return no_child(err, failed);
}

/* Reads what is there; past the room it is read and dropped, so that the child does not wait. */
static void hear(struct said *said)
{
    char beyond[4096];
    size_t room = sizeof said->bytes - said->length;
    ssize_t got = read(said->descriptor, room > 0 ? said->bytes + said->length : beyond,
                       room > 0 ? room : sizeof beyond);
    if (got < 0 && errno == EINTR)
        return;
    if (got <= 0) {
        close(said->descriptor);
        said->descriptor = -1;
    } else if (room > 0) {
        said->length += (size_t)got;
    }
}

/* Until both outputs end. */
static void hear_out(struct child *child)
{
    struct said *both[2] = { &child->out, &child->err };
    while (child->out.descriptor >= 0 || child->err.descriptor >= 0) {
        struct pollfd waiting[2];
        for (int i = 0; i < 2; i++)
            waiting[i] = (struct pollfd){ .fd = both[i]->descriptor, .events = POLLIN };
        if (poll(waiting, 2, -1) < 0)
            continue; /* a signal; nothing else can go wrong with two descriptors of ours */
        for (int i = 0; i < 2; i++) {
            if (both[i]->descriptor >= 0 && waiting[i].revents != 0)
                hear(both[i]);
        }
    }
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* ---- What it said. */

/* The slug of its text, or KVC_SLUG_COUNT. */
static enum kvc_slug slug_of(struct kvc_span text)
{
    int slug = 0;
    while (slug < KVC_SLUG_COUNT && !kvc_span_is(text, kvc_slug_text((enum kvc_slug)slug)))
        slug++;
    return (enum kvc_slug)slug;
}

/* {"error":{"at":...,"code":...,"text":...}} as a refusal of our own; false when it is none. */
static bool repeat_refusal(struct kvc_span said, struct kvc_arena *arena, kvcap_code *ret_code,
                           kvcap_error *err)
{
    struct kvc_value *top;
    if (kvc_scan(arena, said, SAID_BYTES_MAX, KVC_SCAN_FOREIGN, &top, NULL) != KVCAP_OK)
        return false;
    const struct kvc_value *error = kvc_value_member(top, "error");
    const struct kvc_value *code = kvc_value_member(error, "code");
    const struct kvc_value *at = kvc_value_member(error, "at");
    const struct kvc_value *text = kvc_value_member(error, "text");
    if (code == NULL || at == NULL || text == NULL || code->type != KVC_STRING ||
        at->type != KVC_STRING || text->type != KVC_STRING)
        return false;
    enum kvc_slug slug = slug_of(code->text);
    const char *place = kvc_arena_copy(arena, at->text).text;
    if (slug == KVC_SLUG_COUNT || place == NULL)
        return false;
    *ret_code = kvc_fail(err, slug, place, "%.*s",
                         text->text.length < 4096 ? (int)text->text.length : 4096, text->text.text);
    return true;
}

/* A library may have said something of its own before. */
static struct kvc_span last_line(struct kvc_span said)
{
    while (said.length > 0 && said.text[said.length - 1] == '\n')
        said.length--;
    size_t begin = said.length;
    while (begin > 0 && said.text[begin - 1] != '\n')
        begin--;
    return (struct kvc_span){ .text = said.text + begin, .length = said.length - begin };
}

static kvcap_code refused(struct child *child, int status, struct kvc_arena *arena,
                          kvcap_error *err)
{
    kvcap_code rc;
    struct kvc_span said = { .text = child->err.bytes, .length = child->err.length };
    if (WIFEXITED(status) && repeat_refusal(last_line(said), arena, &rc, err))
        return rc;
    if (WIFSIGNALED(status))
        return kvc_fail(err, KVC_NET_PROGRAM, PROGRAM, "it was ended by signal %d",
                        WTERMSIG(status));
    /* Found, but not able to start: a library is missing, or the like. */
    size_t line = 0;
    while (line < said.length && said.text[line] != '\n' && line < 160)
        line++;
    return kvc_fail(err, KVC_NET_PROGRAM, PROGRAM, "it ended with status %d%s%.*s",
                    WEXITSTATUS(status), line > 0 ? ": " : "", (int)line, said.text);
}

/* The one line that it prints: a path. */
static const char *path_said(const struct child *child, struct kvc_arena *arena)
{
    struct kvc_span said = { .text = child->out.bytes, .length = child->out.length };
    if (said.length < 2 || said.text[said.length - 1] != '\n' ||
        memchr(said.text, '\n', said.length - 1) != NULL ||
        memchr(said.text, '\0', said.length) != NULL)
        return NULL;
    said.length--;
    return kvc_arena_copy(arena, said).text;
}

static kvcap_code run(const char *word, bool offline, struct kvc_arena *arena,
                      const char **ret_manifest, kvcap_error *err)
{
    struct child *child = kvc_arena_array(arena, 1, sizeof *child);
    if (child == NULL)
        return no_memory(err);
    kvcap_code rc = start(child, word, offline, arena, err);
    if (rc != KVCAP_OK)
        return rc;
    hear_out(child);
    int status = wait_for(child->pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return refused(child, status, arena, err);
    *ret_manifest = path_said(child, arena);
    if (*ret_manifest == NULL)
        return kvc_fail(err, KVC_NET_PROGRAM, PROGRAM, "it printed no path");
    return KVCAP_OK;
}

/* ---- Files. */

static kvcap_code read_file(const char *cache, const struct kvc_hub_entry *entry,
                            struct kvc_arena *arena, struct kvc_hub_file *file, kvcap_error *err)
{
    struct kvc_span bytes;
    const char *path = kvc_hub_blob_path(arena, cache, entry->blob);
    file->name = kvc_arena_copy(arena, entry->name).text;
    file->sha256 = entry->blob; /* the entry lives in the arena too */
    file->file_sha256 = entry->sha256[0] == '\0' ? NULL : entry->sha256;
    if (path == NULL || file->name == NULL)
        return no_memory(err);
    kvcap_code rc = kvc_file_whole(path, (size_t)entry->stored_bytes, arena, &bytes, err);
    if (rc != KVCAP_OK && rc != KVCAP_E_RECORD)
        return rc;
    if (rc != KVCAP_OK || bytes.length != entry->stored_bytes)
        return kvc_fail(err, KVC_NET_BAD_MANIFEST, path, "the file does not have its %llu bytes",
                        (unsigned long long)entry->stored_bytes);
    file->bytes = bytes.text;
    file->length = bytes.length;
    file->file_bytes = entry->file_bytes;
    return KVCAP_OK;
}

kvcap_code kvc_hub_files(const char *path, struct kvc_arena *arena, struct kvc_hub_model *ret_model,
                         kvcap_error *err)
{
    struct kvc_span text;
    struct kvc_hub_manifest manifest;
    const char *cache;
    kvcap_code rc = kvc_hub_cache_folder(arena, &cache, err);
    if (rc == KVCAP_OK)
        rc = kvc_file_whole(path, KVC_HUB_MANIFEST_BYTES_MAX, arena, &text, err);
    if (rc == KVCAP_OK)
        rc = kvc_hub_manifest_read(text, arena, &manifest, err);
    if (rc == KVCAP_OK && !manifest.complete)
        rc = kvc_fail(err, KVC_NET_BAD_MANIFEST, path, "the fetch that wrote it was broken off");
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_hub_model model = {
        .repository = kvc_arena_copy(arena, manifest.repository).text,
        .revision = kvc_arena_copy(arena, manifest.commit).text,
        .manifest = kvc_arena_copy(arena, kvc_span_of(path)).text,
        .files = kvc_arena_array(arena, manifest.entries_count, sizeof *model.files),
        .files_count = manifest.entries_count,
    };
    if (model.repository == NULL || model.revision == NULL || model.manifest == NULL ||
        model.files == NULL)
        return no_memory(err);
    for (size_t i = 0; i < model.files_count && rc == KVCAP_OK; i++)
        rc = read_file(cache, &manifest.entries[i], arena, &model.files[i], err);
    if (rc == KVCAP_OK)
        *ret_model = model;
    return rc;
}

kvcap_code kvc_hub_fetch(const char *word, bool offline, struct kvc_arena *arena,
                         struct kvc_hub_model *ret_model, kvcap_error *err)
{
    struct kvc_hub_name name;
    const char *manifest;
    kvcap_code rc = kvc_hub_name_read(word, &name, err);
    if (rc == KVCAP_OK)
        rc = run(word, offline, arena, &manifest, err);
    return rc == KVCAP_OK ? kvc_hub_files(manifest, arena, ret_model, err) : rc;
}
