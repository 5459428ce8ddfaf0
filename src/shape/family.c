/* family.c - see family.h for the room and its promises. */

#include "shape/family.h"

#include <stddef.h>

/* Defaults as in transformers at 008e574, src/transformers/models/NAME/configuration_NAME.py. */
static const struct kvc_family FAMILIES[] = {
    { "llama", "LlamaConfig", 0, 0, KVC_WINDOW_NEVER, 0, 0 },
    { "mistral", "MistralConfig", 8, 0, KVC_WINDOW_ALL, 4096, 0 },
    { "qwen2", "Qwen2Config", 32, 0, KVC_WINDOW_IF_USED, 4096, 28 },
    { "qwen3", "Qwen3Config", 32, 128, KVC_WINDOW_IF_USED, 4096, 28 },
    { "phi3", "Phi3Config", 0, 0, KVC_WINDOW_ALL, 0, 0 },
    { "glm", "GlmConfig", 2, 128, KVC_WINDOW_NEVER, 0, 0 },
    { "glm4", "Glm4Config", 2, 128, KVC_WINDOW_NEVER, 0, 0 },
};

const struct kvc_family *kvc_family_named(struct kvc_span model_type)
{
    for (size_t i = 0; i < sizeof FAMILIES / sizeof FAMILIES[0]; i++) {
        if (kvc_span_is(model_type, FAMILIES[i].model_type))
            return &FAMILIES[i];
    }
    return NULL;
}
