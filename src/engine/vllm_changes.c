/* vllm_changes.c - see vllm_changes.h for the room and its promises. */

#include "engine/vllm_changes.h"

#include "engine/engine.h"

const struct kvc_engine_change kvc_vllm_change_rows[KVC_VLLM_CHANGES_COUNT] = {
#define XX(id, day, name, sentence, source) { day, name, sentence, source },
    KVC_VLLM_CHANGE_MAP(XX)
#undef XX
};
