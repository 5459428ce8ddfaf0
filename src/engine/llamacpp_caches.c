/* llamacpp_caches.c - see llamacpp_caches.h for the room and its promises. */

#include "engine/llamacpp_caches.h"

#include <assert.h>
#include <string.h>

struct kvc_llamacpp_cache *kvc_llamacpp_add(struct kvc_llamacpp_model *model,
                                            enum kvc_llamacpp_kind kind,
                                            enum kvc_llamacpp_announced announced)
{
    assert(model->caches_count < KVC_LLAMACPP_CACHES_MAX);
    struct kvc_llamacpp_cache *cache = &model->caches[model->caches_count++];
    memset(cache, 0, sizeof *cache);
    cache->kind = kind;
    cache->announced = announced;
    return cache;
}

/* A list that holds one more; NULL when the arena is full. */
static void *grown(struct kvc_arena *arena, void *list, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return list;
    uint32_t wider = *room == 0 ? 4 : *room * 2;
    void *fresh = kvc_arena_take(arena, wider * size);
    if (fresh == NULL)
        return NULL;
    if (list != NULL)
        memcpy(fresh, list, count * size);
    *room = wider;
    return fresh;
}

bool kvc_llamacpp_put(struct kvc_arena *arena, struct kvc_llamacpp_cache *cache, uint32_t first,
                      uint32_t count, uint64_t k, uint64_t v)
{
    struct kvc_llamacpp_rows *last =
        cache->rows_count == 0 ? NULL : &cache->rows[cache->rows_count - 1];
    cache->layers += count;
    if (last != NULL && last->first + last->count == first && last->k == k && last->v == v) {
        last->count += count;
        return true;
    }
    void *rows = grown(arena, cache->rows, cache->rows_count, &cache->rows_room, sizeof *last);
    if (rows == NULL)
        return false;
    cache->rows = rows;
    cache->rows[cache->rows_count++] =
        (struct kvc_llamacpp_rows){ .first = first, .count = count, .k = k, .v = v };
    return true;
}

bool kvc_llamacpp_put_heads(struct kvc_arena *arena, struct kvc_llamacpp_model *model, uint64_t k,
                            uint64_t v)
{
    for (uint32_t i = 0; i < model->heads_count; i++) {
        if (model->heads[i].k == k && model->heads[i].v == v)
            return true;
    }
    void *heads =
        grown(arena, model->heads, model->heads_count, &model->heads_room, sizeof *model->heads);
    if (heads == NULL)
        return false;
    model->heads = heads;
    model->heads[model->heads_count++] = (struct kvc_llamacpp_heads){ .k = k, .v = v };
    return true;
}
