/* bound.h - a contract that binds an engine: its rules at that version, for the stages of a plan.
 *
 * Room:   plan/ - pure.
 * In:     a model, and a contract whose allocator is an engine at a release.
 * Out:    the stages; or what cannot be said: of a layer, of a setting, or of a version that lies between two
 *         whose rules differ for this model.
 * Knows:  base/, shape/, bytes/, engine/, record/ (structs).
 *
 * A contract is refused that the engine would not start under, and one whose block_tokens or
 * sequence_tokens_max is not what the engine has: the refusal says the number.
 */
#ifndef KVC_PLAN_BOUND_H
#define KVC_PLAN_BOUND_H

#include "plan/stages.h"

/* Fills the part of `stages` that an engine decides. */
kvcap_code kvc_bind_contract(const struct kvc_model *model, const struct kvc_contract *contract,
                             struct kvc_arena *arena, struct kvc_stages *stages, kvcap_error *err);

/* The block_tokens that this contract would have to state, whatever it does; 0 where it cannot be said. */
kvcap_code kvc_bound_block_tokens(const struct kvc_model *model,
                                  const struct kvc_contract *contract, struct kvc_arena *arena,
                                  uint64_t *ret_block_tokens, kvcap_error *err);

#endif /* KVC_PLAN_BOUND_H */
