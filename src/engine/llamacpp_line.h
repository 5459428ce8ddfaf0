/* llamacpp_line.h - a line of a log as it is put together, piece by piece.
 *
 * Room:   engine/ - pure.
 * In:     texts, counts, bytes.
 * Out:    text, without a NUL.
 * Knows:  base/.
 *
 * Counts and sizes are written by hand: a line costs less than a third of what vsnprintf takes, and an
 * answer has ten of them.
 */
#ifndef KVC_ENGINE_LLAMACPP_LINE_H
#define KVC_ENGINE_LLAMACPP_LINE_H

#include <stddef.h>
#include <stdint.h>

struct kvc_llamacpp_line {
    char text[400]; /* what is longer is cut */
    size_t length;
};

void kvc_llamacpp_put_text(struct kvc_llamacpp_line *line, const char *text);

/* "%-*s". */
void kvc_llamacpp_put_padded(struct kvc_llamacpp_line *line, const char *text, size_t width);

/* "%*u". */
void kvc_llamacpp_put_count(struct kvc_llamacpp_line *line, uint64_t count, size_t width);

/* bytes / 2^20 as "%*.2f", in doubles: rounded half to even, as printf rounds what lies between. */
void kvc_llamacpp_put_mib(struct kvc_llamacpp_line *line, uint64_t bytes, size_t width);

/* (float)bytes / (1024.0f * 1024.0f) as "%7.2f". */
void kvc_llamacpp_put_float_mib(struct kvc_llamacpp_line *line, uint64_t bytes);

#endif /* KVC_ENGINE_LLAMACPP_LINE_H */
