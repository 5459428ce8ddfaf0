/* llamacpp_lines.h - the lines that llama.cpp prints of its caches, era by era.
 *
 * Room:   engine/ - pure.
 * In:     a context that was weighed, the day, the devices on which caches lie.
 * Out:    lines of the answer, in the engine's order, without the server's time and level before them.
 * Knows:  base/.
 *
 * What is printed of a cache, and that a context was rounded, is its capacity and is always told.  Other lines
 * of the context (n_batch, flash_attn, ...) are told in an answer that explains.
 *
 * Sizes are MiB with two decimals, computed by the engine in 32-bit floats.
 */
#ifndef KVC_ENGINE_LLAMACPP_LINES_H
#define KVC_ENGINE_LLAMACPP_LINES_H

#include "engine/llamacpp_bytes.h"
#include "engine/llamacpp_place.h"

/* `places` is NULL where it cannot be said what lies where. */
void kvc_llamacpp_print(const struct kvc_llamacpp_params *params,
                        const struct kvc_llamacpp_model *model,
                        const struct kvc_llamacpp_context *context,
                        const struct kvc_llamacpp_weights *weights,
                        const struct kvc_llamacpp_places *places, uint32_t day,
                        struct kvc_answer *answer);

#endif /* KVC_ENGINE_LLAMACPP_LINES_H */
