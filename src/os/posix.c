/* posix.c - files by POSIX.  Declared in os.h. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/os.h"

static kvcap_code fail_with(kvcap_error *err, enum kvc_slug slug, const char *path)
{
    char reason[96];
    int number = errno;
    if (strerror_r(number, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", number);
    return kvc_fail(err, slug, path, "%s", reason);
}

static kvcap_code no_memory(kvcap_error *err, const char *path)
{
    return kvc_fail(err, KVC_MEMORY_FULL, path, "reading or writing the file needs more memory");
}

/* ---- Reading. */

struct kvc_file {
    int descriptor;
    const char *path; /* borrowed from the caller of open */
};

kvcap_code kvc_file_open(const char *path, struct kvc_file **ret_file, kvcap_error *err)
{
    struct kvc_file *file = malloc(sizeof *file);
    if (file == NULL)
        return no_memory(err, path);
    bool is_standard = strcmp(path, "-") == 0;
    *file = (struct kvc_file){ .descriptor =
                                   is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC),
                               .path = path };
    struct stat about;
    kvcap_code rc = KVCAP_OK;
    if (file->descriptor < 0)
        rc = fail_with(err, KVC_FILE_OPEN, path);
    else if (fstat(file->descriptor, &about) != 0)
        rc = fail_with(err, KVC_FILE_READ, path);
    else if (S_ISDIR(about.st_mode))
        rc = kvc_fail(err, KVC_FILE_NOT_REGULAR, path, "this is a folder");
    if (rc != KVCAP_OK) {
        kvc_file_close(file);
        return rc;
    }
    *ret_file = file;
    return KVCAP_OK;
}

kvcap_code kvc_file_read(struct kvc_file *file, char *buffer, size_t room, size_t *ret_bytes,
                         kvcap_error *err)
{
    ssize_t got;
    do {
        got = read(file->descriptor, buffer, room);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return fail_with(err, KVC_FILE_READ, file->path);
    *ret_bytes = (size_t)got;
    return KVCAP_OK;
}

void kvc_file_close(struct kvc_file *file)
{
    if (file == NULL)
        return;
    if (file->descriptor > STDIN_FILENO)
        close(file->descriptor);
    free(file);
}

bool kvc_path_is_regular(const char *path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

kvcap_code kvc_path_need_regular(const char *path, kvcap_error *err)
{
    struct stat about;
    if (kvc_path_is_regular(path))
        return KVCAP_OK;
    if (strcmp(path, "-") != 0 && stat(path, &about) != 0)
        return fail_with(err, KVC_FILE_OPEN, path);
    return kvc_fail(err, KVC_FILE_NOT_REGULAR, path, "it is read twice, which only a file allows");
}

bool kvc_path_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool kvc_path_exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

bool kvc_path_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

uint64_t kvc_path_bytes(const char *path)
{
    struct stat about;
    bool known = stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
    return known ? (uint64_t)about.st_size : 0;
}

uint64_t kvc_clock_ns(void)
{
    struct timespec now = { 0 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* What to begin with: a regular file's own size and one byte more, so that its end is seen without
 * growing. */
static size_t first_room(const struct kvc_file *file, size_t bytes_max)
{
    struct stat about;
    size_t room = 64 * (size_t)1024;
    if (fstat(file->descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size >= 0)
        room = (size_t)about.st_size + 1;
    return room > bytes_max ? bytes_max + 1 : room;
}

/* Reads until the end or until one byte more than bytes_max was seen. */
static kvcap_code read_up_to(struct kvc_file *file, size_t bytes_max, struct kvc_arena *arena,
                             struct kvc_span *ret_text, bool *ret_more, kvcap_error *err)
{
    size_t room = first_room(file, bytes_max), used = 0, got = 1;
    char *text = kvc_arena_take(arena, room);
    while (text != NULL && got > 0 && used <= bytes_max) {
        kvcap_code rc = kvc_file_read(file, text + used, room - used, &got, err);
        if (rc != KVCAP_OK)
            return rc;
        used += got;
        if (used < room || used > bytes_max)
            continue;
        char *bigger = kvc_arena_take(arena, room * 2);
        if (bigger != NULL)
            memcpy(bigger, text, used);
        text = bigger;
        room *= 2;
    }
    if (text == NULL)
        return no_memory(err, file->path);
    *ret_more = used > bytes_max;
    *ret_text = (struct kvc_span){ .text = text, .length = *ret_more ? bytes_max : used };
    return KVCAP_OK;
}

kvcap_code kvc_file_head(const char *path, size_t bytes_max, struct kvc_arena *arena,
                         struct kvc_span *ret_text, bool *ret_more, kvcap_error *err)
{
    struct kvc_file *file;
    kvcap_code rc = kvc_file_open(path, &file, err);
    if (rc != KVCAP_OK)
        return rc;
    rc = read_up_to(file, bytes_max, arena, ret_text, ret_more, err);
    kvc_file_close(file);
    return rc;
}

kvcap_code kvc_file_whole(const char *path, size_t bytes_max, struct kvc_arena *arena,
                          struct kvc_span *ret_text, kvcap_error *err)
{
    bool more;
    kvcap_code rc = kvc_file_head(path, bytes_max, arena, ret_text, &more, err);
    if (rc == KVCAP_OK && more)
        return kvc_fail(err, KVC_RECORD_TOO_LARGE, path, "the file is longer than %zu bytes",
                        bytes_max);
    return rc;
}

/* ---- Writing. */

struct kvc_output {
    FILE *stream;
    char *path;    /* NULL: standard output */
    char *pending; /* the file beside it, until it is kept */
    int failed;    /* errno of the first step that failed, or 0 */
};

static kvcap_code open_beside(struct kvc_output *output, const char *path, kvcap_error *err)
{
    /* A name of its own, hidden and short: `path` may be as long as a name can be. */
    static const char NAME[] = ".kvcap-XXXXXX";
    const char *slash = strrchr(path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    output->path = strdup(path);
    output->pending = malloc(folder + sizeof NAME);
    if (output->path == NULL || output->pending == NULL)
        return no_memory(err, path);
    memcpy(output->pending, path, folder);
    memcpy(output->pending + folder, NAME, sizeof NAME);
    int descriptor = mkstemp(output->pending);
    if (descriptor < 0) {
        output->pending[0] = '\0';
        return fail_with(err, KVC_FILE_WRITE, path);
    }
    /* mkstemp makes it private; a record is for others to read, as far as the mask allows. */
    mode_t mask = umask(0);
    umask(mask);
    output->stream = fchmod(descriptor, 0666 & ~mask) == 0 ? fdopen(descriptor, "wb") : NULL;
    if (output->stream != NULL)
        return KVCAP_OK;
    kvcap_code rc = fail_with(err, KVC_FILE_WRITE, path);
    close(descriptor);
    return rc;
}

/* A device or a pipe cannot be replaced by a file beside it: it is written as it is. */
static bool is_replaceable(const char *path)
{
    struct stat about;
    return stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode);
}

kvcap_code kvc_output_open(const char *path, struct kvc_output **ret_output, kvcap_error *err)
{
    struct kvc_output *output = calloc(1, sizeof *output);
    if (output == NULL)
        return no_memory(err, path);
    kvcap_code rc = KVCAP_OK;
    if (path == NULL || strcmp(path, "-") == 0) {
        output->stream = stdout;
    } else if (!is_replaceable(path)) {
        output->path = strdup(path);
        output->stream = output->path == NULL ? NULL : fopen(path, "wb");
        if (output->path == NULL)
            rc = no_memory(err, path);
        else if (output->stream == NULL)
            rc = fail_with(err, KVC_FILE_WRITE, path);
    } else {
        rc = open_beside(output, path, err);
    }
    if (rc != KVCAP_OK) {
        kvc_output_discard(output);
        return rc;
    }
    *ret_output = output;
    return KVCAP_OK;
}

void kvc_output_put(struct kvc_output *output, const char *bytes, size_t length)
{
    errno = 0;
    if (output->failed == 0 && length > 0 && fwrite(bytes, 1, length, output->stream) != length)
        output->failed = errno != 0 ? errno : EIO;
}

/* Flushes and closes; standard output stays open. */
static int finish(struct kvc_output *output)
{
    int failed = output->failed;
    errno = 0;
    if (fflush(output->stream) != 0 && failed == 0)
        failed = errno != 0 ? errno : EIO;
    if (output->pending != NULL && failed == 0 && fsync(fileno(output->stream)) != 0)
        failed = errno;
    if (output->stream != stdout && fclose(output->stream) != 0 && failed == 0)
        failed = errno != 0 ? errno : EIO;
    if (output->stream == stdout && failed != 0)
        clearerr(stdout); /* it is told here, and need not be told again at the end */
    output->stream = NULL;
    return failed;
}

kvcap_code kvc_output_keep(struct kvc_output *output, kvcap_error *err)
{
    int failed = finish(output);
    if (failed == 0 && output->pending != NULL && rename(output->pending, output->path) != 0)
        failed = errno;
    kvcap_code rc = KVCAP_OK;
    if (failed != 0) {
        errno = failed;
        rc =
            fail_with(err, KVC_FILE_WRITE, output->path == NULL ? "standard output" : output->path);
    } else if (output->pending != NULL) {
        output->pending[0] = '\0';
    }
    kvc_output_discard(output);
    return rc;
}

void kvc_output_discard(struct kvc_output *output)
{
    if (output == NULL)
        return;
    if (output->stream != NULL && output->stream != stdout)
        fclose(output->stream);
    if (output->pending != NULL && output->pending[0] != '\0')
        unlink(output->pending);
    free(output->pending);
    free(output->path);
    free(output);
}

/* ---- Folders. */

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Reads the names into a list that doubles in the arena. */
static kvcap_code read_names(DIR *folder, const char *path, struct kvc_arena *arena,
                             char ***ret_names, size_t *ret_count, kvcap_error *err)
{
    size_t count = 0, room = 64;
    char **names = kvc_arena_take(arena, room * sizeof *names);
    errno = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL; errno = 0) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (names != NULL && count == room) {
            char **bigger = kvc_arena_take(arena, 2 * room * sizeof *names);
            if (bigger != NULL)
                memcpy(bigger, names, count * sizeof *names);
            names = bigger;
            room *= 2;
        }
        struct kvc_span name = kvc_arena_copy(arena, kvc_span_of(entry->d_name));
        if (names == NULL || name.text == NULL)
            return no_memory(err, path);
        names[count++] = (char *)name.text;
    }
    if (names == NULL)
        return no_memory(err, path);
    if (errno != 0)
        return fail_with(err, KVC_FILE_READ, path);
    qsort(names, count, sizeof *names, by_bytes);
    *ret_names = names;
    *ret_count = count;
    return KVCAP_OK;
}

kvcap_code kvc_folder_list(const char *path, struct kvc_arena *arena, char ***ret_names,
                           size_t *ret_count, kvcap_error *err)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return fail_with(err, KVC_FILE_OPEN, path);
    kvcap_code rc = read_names(folder, path, arena, ret_names, ret_count, err);
    closedir(folder);
    return rc;
}

static bool make_one(const char *path)
{
    /* Somebody may make it at the same time, and a folder that is there is as good. */
    return mkdir(path, 0777) == 0 || (errno == EEXIST && kvc_path_is_folder(path));
}

kvcap_code kvc_folder_make(const char *path, kvcap_error *err)
{
    if (kvc_path_is_folder(path))
        return KVCAP_OK;
    char *above = strdup(path);
    if (above == NULL)
        return no_memory(err, path);
    bool made = true;
    for (char *c = above; *c != '\0' && made; c++) {
        if (*c != '/' || c == above)
            continue;
        *c = '\0';
        made = make_one(above);
        *c = '/';
    }
    made = made && make_one(path);
    kvcap_code rc = made ? KVCAP_OK : fail_with(err, KVC_FILE_WRITE, path);
    free(above);
    return rc;
}
