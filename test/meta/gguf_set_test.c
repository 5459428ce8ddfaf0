/* Goal: whoever gives the beginning of a GGUF file as he is asked to has the header after a handful
 * of questions, whatever it is made of, and nothing in reading it grows with the square of its parts.
 * Method: headers of 200,000 keys and of 200,000 tensors, given piece by piece as kvcap.h says.  The
 * questions and the bytes that were looked at are counted, no time is taken: a step that looked at
 * all the others would have 4 * 10^10 to look at, and not end. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "meta/gguf_set.h"
#include "os/os.h"
#include "support/fixture.h"
#include "support/gguf_writer.h"

#define MANY 200000
#define MIB ((uint64_t)1024 * 1024)

static void put_model(struct gguf_writer *w)
{
    gguf_begin(w, 3);
    gguf_put_text(w, "general.architecture", "llama");
    gguf_put(w, "llama.block_count", KVC_GGUF_U32, 36);
    gguf_put(w, "llama.embedding_length", KVC_GGUF_U32, 4096);
    gguf_put(w, "llama.attention.head_count", KVC_GGUF_U32, 32);
    gguf_put(w, "llama.attention.head_count_kv", KVC_GGUF_U32, 8);
}

/* As kvcap.h says: gives what is asked for, and asks again. */
static kvcap_model_file give_as_asked(struct kvc_span bytes, uint64_t file_bytes)
{
    kvcap_model_file file = {
        .struct_size = sizeof file, .name = "m.gguf", .bytes = bytes.text, .file_bytes = file_bytes
    };
    uint64_t needed = 0, looked_at = 0;
    unsigned questions = 0;
    kvcap_error err;
    for (;;) {
        must(kvcap_model_file_needs(&file, &needed, &err), &err);
        looked_at += file.length;
        assert_true(needed <= file_bytes);
        if (needed <= file.length)
            break;
        assert_true(++questions <= 6);
        file.length = needed < bytes.length ? needed : bytes.length;
    }
    assert_true(looked_at <= 2 * file.length + MIB);
    return file;
}

static void must_be_a_model(const kvcap_model_file *file)
{
    kvcap_record *model = NULL;
    kvcap_error err;
    must(kvcap_model_from_files(file, 1, "many", NULL, &model, &err), &err);
    kvcap_record_free(model);
}

static void a_header_of_many_keys_takes_few_questions(void **state)
{
    (void)state;
    struct gguf_writer w;
    put_model(&w);
    for (unsigned i = 0; i < MANY; i++) {
        char key[16];
        /* Of every order: as they come, and from both ends. */
        snprintf(key, sizeof key, "k%06u", i % 3 == 0 ? i : i % 3 == 1 ? 999999 - i : 500000 + i);
        gguf_put(&w, key, KVC_GGUF_U32, i);
    }
    struct kvc_span bytes = gguf_bytes(&w, false);
    kvcap_model_file file = give_as_asked(bytes, bytes.length);
    must_be_a_model(&file);
    gguf_end(&w);
}

static void a_header_of_many_tensors_takes_few_questions(void **state)
{
    (void)state;
    struct gguf_writer w;
    put_model(&w);
    for (unsigned i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%06u", i % 2 == 0 ? i : 999999 - i);
        gguf_tensor(&w, name, 0, 1, 1);
    }
    struct kvc_span bytes = gguf_bytes(&w, true);
    kvcap_model_file file = give_as_asked(bytes, bytes.length);
    must_be_a_model(&file);
    gguf_end(&w);
}

/* Two long lists of texts, each of which tells its end only text by text. */
static void a_header_with_a_tokenizer_takes_few_questions(void **state)
{
    (void)state;
    struct gguf_writer w;
    gguf_begin(&w, 3);
    gguf_put_large(&w);
    struct kvc_span bytes = gguf_bytes(&w, false);
    kvcap_model_file file = give_as_asked(bytes, bytes.length);
    must_be_a_model(&file);
    gguf_end(&w);
}

/* From the first byte to the last: more is asked for until the header is there, then no other number
 * than its own. */
static void what_is_asked_for_lies_in_the_file(void **state)
{
    (void)state;
    struct gguf_writer w;
    put_model(&w);
    gguf_tensor(&w, "t", 0, 64, 64);
    size_t header = w.length;
    struct kvc_span bytes = gguf_bytes(&w, true);
    struct kvc_arena arena;
    kvc_arena_from(&arena, &kvc_os_memory, MIB);
    for (size_t length = 0; length <= bytes.length; length++) {
        uint64_t needed = 0;
        kvcap_error err;
        must(kvc_gguf_needs((struct kvc_span){ bytes.text, length }, bytes.length, &arena, &needed,
                            &err),
             &err);
        if (length >= header)
            assert_int_equal(needed, header);
        else
            assert_int_equal(needed, bytes.length); /* a file shorter than the first piece */
    }
    kvc_arena_drop(&arena);
    gguf_end(&w);
}

/* Where the next step is known and lies past the next piece, it is what is asked for. */
static void what_is_known_is_asked_for_at_once(void **state)
{
    (void)state;
    struct gguf_writer w;
    gguf_begin(&w, 3);
    gguf_patch(&w, 16, 1, 8);
    gguf_raw_text(&w, "k");
    gguf_raw_number(&w, KVC_GGUF_ARRAY, 4);
    gguf_raw_number(&w, KVC_GGUF_U8, 4);
    gguf_raw_number(&w, 200 * MIB, 8);
    struct kvc_arena arena;
    uint64_t needed = 0;
    kvcap_error err;
    kvc_arena_from(&arena, &kvc_os_memory, MIB);
    must(kvc_gguf_needs((struct kvc_span){ (const char *)w.bytes, w.length }, 1000 * MIB, &arena,
                        &needed, &err),
         &err);
    assert_int_equal(needed, w.length + 200 * MIB); /* known to the byte, and past the next piece */
    kvc_arena_drop(&arena);
    gguf_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_of_many_keys_takes_few_questions),
        cmocka_unit_test(a_header_of_many_tensors_takes_few_questions),
        cmocka_unit_test(a_header_with_a_tokenizer_takes_few_questions),
        cmocka_unit_test(what_is_asked_for_lies_in_the_file),
        cmocka_unit_test(what_is_known_is_asked_for_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
