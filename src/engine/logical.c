/* logical.c - the engine `logical`: the ideal state, without an allocator.  Declared in engine.h.
 *
 * What the mathematics needs stands beside every engine's answer, and fit/ puts it there; this one has
 * nothing to add to it. */

#include "engine/engine.h"

#include "base/ck.h"

/* Formats by the names of a record, and the words of engines for them. */
const char *const kvc_logical_formats[] = { "auto",
                                            "f32",
                                            "f16",
                                            "bf16",
                                            "fp8_e4m3",
                                            "fp8_e5m2",
                                            "fp8",
                                            "fp8_inc",
                                            "nvfp4",
                                            "q8_0",
                                            "q5_1",
                                            "q5_0",
                                            "q4_1",
                                            "q4_0",
                                            "iq4_nl",
                                            "float32",
                                            "float16",
                                            "half",
                                            "bfloat16",
                                            "fp8_ds_mla",
                                            "int8_token_head",
                                            "fp8_token_head",
                                            "int4_token_head",
                                            "fp8_per_token_head",
                                            "int8_per_token_head",
                                            "int4_per_token_head",
                                            NULL };

static const struct kvc_setting_row ROWS[] = {
    { .name = "max_model_len",
      .type = KVC_SETTING_COUNT,
      .min = 1,
      .max = KVC_SAFE_MAX,
      .sizes = true,
      .text = "tokens of the sequence that is weighed" },
    { .name = "kv_cache_dtype",
      .type = KVC_SETTING_TEXT,
      .words = kvc_logical_formats,
      .sizes = true,
      .text = "format of cached keys and values; auto: the model's dtype" },
};

static kvcap_code fit(const struct kvc_engine_question *question, struct kvc_answer *answer,
                      kvcap_error *err)
{
    uint64_t context = question->model->context_tokens;
    kvc_setting_text(question->settings, "kv_cache_dtype", "auto");
    if (kvc_setting_count(question->settings, "max_model_len", context) == 0)
        return kvc_fail(err, KVC_USAGE_MISSING_FLAG, "max_model_len",
                        "the model states no context: say how many tokens are weighed");
    kvc_answer_unknown(answer, question->model->shape);
    return KVCAP_OK;
}

const struct kvc_engine kvc_engine_logical = {
    .id = KVC_ENGINE_LOGICAL,
    .rules = "logical/1",
    .settings = ROWS,
    .settings_count = sizeof ROWS / sizeof ROWS[0],
    .context_setting = "max_model_len",
    .fit = fit,
};
