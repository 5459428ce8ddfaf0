/* write_model.c - see write_model.h for its promises, and models.h for the words that are read here. */

#include "live/write_model.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gguf_writer.h"

#define NAME_ROOM 96
#define LIST_ROOM 64
#define F32 0 /* of ggml */

struct reading {
    const struct live_model *model;
    const char *at;
    uint64_t sizes[128]; /* by letter */
};

static void stop(const struct reading *reading, const char *reason)
{
    fprintf(stderr, "live: %s: %s at \"%.40s\"\n", reading->model->name, reason, reading->at);
    exit(2);
}

static void expect(struct reading *reading, char letter)
{
    if (*reading->at != letter)
        stop(reading, "this letter is not expected");
    reading->at++;
}

static bool take(struct reading *reading, char letter)
{
    if (*reading->at != letter)
        return false;
    reading->at++;
    return true;
}

static void skip_blanks(struct reading *reading)
{
    while (*reading->at == ' ')
        reading->at++;
}

/* ---- Formulas: sum = product { +- product }, product = factor { * / factor }. */

static uint64_t read_sum(struct reading *reading);

static uint64_t read_factor(struct reading *reading)
{
    if (take(reading, '(')) {
        uint64_t value = read_sum(reading);
        expect(reading, ')');
        return value;
    }
    if (isdigit((unsigned char)*reading->at)) {
        char *end;
        uint64_t value = strtoull(reading->at, &end, 10);
        reading->at = end;
        return value;
    }
    if (!isupper((unsigned char)*reading->at))
        stop(reading, "a number, a letter or a bracket is expected");
    return reading->sizes[(unsigned char)*reading->at++];
}

static uint64_t read_product(struct reading *reading)
{
    uint64_t value = read_factor(reading);
    for (;;) {
        if (take(reading, '*'))
            value *= read_factor(reading);
        else if (take(reading, '/'))
            value /= read_factor(reading);
        else
            return value;
    }
}

static uint64_t read_sum(struct reading *reading)
{
    uint64_t value = read_product(reading);
    for (;;) {
        if (take(reading, '+'))
            value += read_product(reading);
        else if (take(reading, '-'))
            value -= read_product(reading);
        else
            return value;
    }
}

/* "[A,B,C]" */
static size_t read_list(struct reading *reading, uint64_t values[LIST_ROOM])
{
    size_t count = 0;
    expect(reading, '[');
    do {
        if (count == LIST_ROOM)
            stop(reading, "the list is too long");
        values[count++] = read_sum(reading);
    } while (take(reading, ','));
    expect(reading, ']');
    return count;
}

static void read_name(struct reading *reading, char before, char name[NAME_ROOM])
{
    size_t length = 0;
    while (*reading->at != before && *reading->at != '\0' && length < NAME_ROOM - 1)
        name[length++] = *reading->at++;
    name[length] = '\0';
}

static void read_sizes(struct reading *reading, const char *text)
{
    reading->at = text;
    for (skip_blanks(reading); *reading->at != '\0'; skip_blanks(reading)) {
        unsigned char letter = (unsigned char)*reading->at++;
        if (!isupper(letter))
            stop(reading, "a size is called by one capital letter");
        expect(reading, '=');
        reading->sizes[letter] = read_sum(reading);
    }
}

/* ---- Keys. */

static void put_value(struct reading *reading, struct gguf_writer *w, const char *key)
{
    if (*reading->at == '[') {
        uint64_t values[LIST_ROOM];
        size_t count = read_list(reading, values);
        gguf_put_list(w, key, KVC_GGUF_U32, values, count);
    } else if (*reading->at == 'w') {
        reading->at++;
        uint64_t values[LIST_ROOM];
        size_t count = read_list(reading, values);
        gguf_put_list(w, key, KVC_GGUF_U64, values, count);
    } else if (*reading->at == 'f' &&
               (isdigit((unsigned char)reading->at[1]) || reading->at[1] == '-')) {
        char *end;
        gguf_put_f32(w, key, strtof(reading->at + 1, &end));
        reading->at = end;
    } else if (*reading->at == 't' || *reading->at == 'f') {
        gguf_put(w, key, KVC_GGUF_BOOL, *reading->at == 't');
        while (islower((unsigned char)*reading->at))
            reading->at++;
    } else {
        gguf_put(w, key, KVC_GGUF_U32, read_sum(reading));
    }
}

static void put_keys(struct reading *reading, struct gguf_writer *w, const char *text)
{
    reading->at = text;
    for (skip_blanks(reading); *reading->at != '\0'; skip_blanks(reading)) {
        char name[NAME_ROOM], key[2 * NAME_ROOM];
        read_name(reading, '=', name);
        expect(reading, '=');
        snprintf(key, sizeof key, "%s.%s", reading->model->arch, name);
        put_value(reading, w, key);
    }
}

static void put_all_keys(struct reading *reading, struct gguf_writer *w)
{
    const struct live_model *model = reading->model;
    gguf_put_text(w, "general.architecture", model->arch);
    gguf_put_text(w, "tokenizer.ggml.model", "no_vocab");
    put_keys(reading, w,
             "vocab_size=V context_length=M embedding_length=E block_count=L "
             "attention.layer_norm_epsilon=f1e-5 attention.layer_norm_rms_epsilon=f1e-5");
    if (strstr(model->keys, "feed_forward_length=[") == NULL)
        put_keys(reading, w, "feed_forward_length=F");
    put_keys(reading, w, model->keys);
}

/* ---- Tensors. */

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);
    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

/* `layer` is negative for those of no layer.  Those of an encoder and a decoder are enc.blk.N and
 * dec.blk.N. */
static void put_tensor(struct gguf_writer *w, const char *short_name, int layer,
                       const uint64_t *dims, size_t dims_count)
{
    char name[2 * NAME_ROOM], before[NAME_ROOM] = "";
    const char *rest = short_name;
    if (layer >= 0) {
        bool is_sided = strncmp(rest, "enc.", 4) == 0 || strncmp(rest, "dec.", 4) == 0;
        snprintf(before, sizeof before, "%.*sblk.%d.", is_sided ? 4 : 0, rest, layer);
        rest += is_sided ? 4 : 0;
    }
    if (ends_in(rest, "."))
        snprintf(name, sizeof name, "%s%.*s", before, (int)strlen(rest) - 1, rest);
    else if (ends_in(rest, ".bias") || ends_in(rest, ".scale") || ends_in(rest, ".weight"))
        snprintf(name, sizeof name, "%s%s", before, rest);
    else
        snprintf(name, sizeof name, "%s%s.weight", before, rest);
    gguf_tensor_of(w, name, F32, dims, (uint32_t)dims_count);
}

static void put_tensors(struct reading *reading, struct gguf_writer *w, const char *text, int layer)
{
    reading->at = text;
    for (skip_blanks(reading); *reading->at != '\0'; skip_blanks(reading)) {
        char name[NAME_ROOM];
        uint64_t dims[LIST_ROOM];
        read_name(reading, '[', name);
        size_t count = read_list(reading, dims);
        if (count > 4)
            stop(reading, "a tensor has four dimensions at most");
        put_tensor(w, name, layer, dims, count);
    }
}

void live_write_model(const struct live_model *model, const char *path)
{
    struct reading reading = { .model = model, .at = "" };
    struct gguf_writer w;
    read_sizes(&reading, live_sizes);
    reading.sizes['L'] = strlen(model->plan);
    read_sizes(&reading, model->sizes);
    gguf_begin(&w, 3);
    put_all_keys(&reading, &w);
    put_tensors(&reading, &w, model->whole, -1);
    for (int i = 0; model->plan[i] != '\0'; i++) {
        const char *tensors = model->layers[model->plan[i] - 'a'];
        if (tensors == NULL)
            stop(&reading, "a layer of the plan has no tensors");
        put_tensors(&reading, &w, tensors, i);
    }
    struct kvc_span bytes = gguf_bytes(&w, true);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes.text, 1, bytes.length, file) != bytes.length ||
        fclose(file) != 0) {
        perror(path);
        exit(2);
    }
    gguf_end(&w);
}
