/* llamacpp_changes.h - the days on which llama.cpp's rules and lines changed.
 *
 * Room:   engine/ - pure.
 * In:     a day, YYYYMMDD.
 * Out:    whether a change had come to master by then.
 * Knows:  base/.
 */
#ifndef KVC_ENGINE_LLAMACPP_CHANGES_H
#define KVC_ENGINE_LLAMACPP_CHANGES_H

#include "engine/engine.h"

/* In the order of the table, which is that of days. */
enum kvc_llamacpp_change {
    KVC_LLAMACPP_NAMED_NEW_CONTEXT,
    KVC_LLAMACPP_MIB,
    KVC_LLAMACPP_KV_PARTS,
    KVC_LLAMACPP_BUFFER_LINE,
    KVC_LLAMACPP_PAD_FIRST,
    KVC_LLAMACPP_PAD_BY_FLASH,
    KVC_LLAMACPP_NAMED_INIT,
    KVC_LLAMACPP_NAMED_CONTEXT,
    KVC_LLAMACPP_MLA,
    KVC_LLAMACPP_SPLIT_RECURRENT,
    KVC_LLAMACPP_CACHELESS,
    KVC_LLAMACPP_WINDOWS,
    KVC_LLAMACPP_HYBRID,
    KVC_LLAMACPP_STREAMS,
    KVC_LLAMACPP_STREAMS_ALWAYS,
    KVC_LLAMACPP_NAMED_KV_CACHE,
    KVC_LLAMACPP_FLASH_AUTO_DEFAULT,
    KVC_LLAMACPP_SEQ_MAX_256,
    KVC_LLAMACPP_PROMPT_CACHE,
    KVC_LLAMACPP_PAD_NONE,
    KVC_LLAMACPP_SLOTS_AUTO,
    KVC_LLAMACPP_PAD_256,
    KVC_LLAMACPP_FITS,
    KVC_LLAMACPP_NO_V_IN_MLA,
    KVC_LLAMACPP_ROLLBACK,
    KVC_LLAMACPP_OUTPUTS_MAX,
    KVC_LLAMACPP_ONE_TYPE_MLA,
    KVC_LLAMACPP_FITS_STREAMS,
    KVC_LLAMACPP_PLE,
    KVC_LLAMACPP_CHANGES_COUNT
};

extern const struct kvc_engine_change kvc_llamacpp_changes[KVC_LLAMACPP_CHANGES_COUNT];

static inline bool kvc_llamacpp_since(uint32_t day, enum kvc_llamacpp_change change)
{
    return day >= kvc_llamacpp_changes[change].day;
}

#endif /* KVC_ENGINE_LLAMACPP_CHANGES_H */
