/* Goal: each rule of recurrent state has the name, the fields and the parts that the records give
 * it, in their order: dims[] is read and weighed by position.
 * Method: the list of the specification written out, held against the table. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shape/recurrent.h"

static const struct {
    enum kvc_rule rule;
    const char *name;
    const char *fields[KVC_RULE_DIMS_MAX];
    bool has_conv, has_state;
} RULES[] = {
    { KVC_RULE_PLAIN, "plain", { "conv_elements", "state_elements" }, true, true },
    { KVC_RULE_MAMBA1, "mamba1", { "conv_kernel", "inner_dim", "state_dim" }, true, true },
    { KVC_RULE_MAMBA2,
      "mamba2",
      { "conv_kernel", "inner_dim", "groups", "state_dim", "heads", "head_dim" },
      true,
      true },
    { KVC_RULE_GATED_DELTA_NET,
      "gated_delta_net",
      { "conv_kernel", "key_heads", "key_dim", "value_heads", "value_dim" },
      true,
      true },
    { KVC_RULE_KDA, "kda", { "conv_kernel", "heads", "head_dim" }, true, true },
    { KVC_RULE_LINEAR, "linear", { "heads", "head_dim" }, false, true },
    { KVC_RULE_SHORT_CONV, "short_conv", { "conv_kernel", "inner_dim" }, true, false },
    { KVC_RULE_RWKV, "rwkv", { "shift_count", "inner_dim", "head_size" }, true, true },
};

#define RULES_COUNT (sizeof RULES / sizeof *RULES)

static void every_rule_is_in_the_list_above(void **state)
{
    (void)state;
    assert_int_equal(KVC_RULE_COUNT, RULES_COUNT);
    for (size_t i = 0; i < RULES_COUNT; i++)
        assert_int_equal(RULES[i].rule, i);
}

static void a_name_leads_to_its_rule_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < RULES_COUNT; i++) {
        enum kvc_rule found = KVC_RULE_COUNT;
        assert_true(kvc_rule_named(kvc_span_of(RULES[i].name), &found));
        assert_int_equal(found, RULES[i].rule);
        assert_string_equal(kvc_rule_row(RULES[i].rule)->name, RULES[i].name);
    }
}

static void a_rule_has_its_fields_in_order_and_its_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < RULES_COUNT; i++) {
        const struct kvc_rule_row *row = kvc_rule_row(RULES[i].rule);
        assert_int_equal(row->has_conv, RULES[i].has_conv);
        assert_int_equal(row->has_state, RULES[i].has_state);
        for (size_t f = 0; f < KVC_RULE_DIMS_MAX; f++) {
            if (RULES[i].fields[f] == NULL)
                assert_null(row->fields[f]);
            else
                assert_string_equal(row->fields[f], RULES[i].fields[f]);
        }
    }
}

static void other_text_names_no_rule_and_leaves_the_result_alone(void **state)
{
    (void)state;
    static const char *const OTHERS[] = { "", "mamba", "mamba12", "Mamba1", "kda ", "none", "gdn" };
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        enum kvc_rule found = KVC_RULE_KDA;
        assert_false(kvc_rule_named(kvc_span_of(OTHERS[i]), &found));
        assert_int_equal(found, KVC_RULE_KDA);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_is_in_the_list_above),
        cmocka_unit_test(a_name_leads_to_its_rule_and_back),
        cmocka_unit_test(a_rule_has_its_fields_in_order_and_its_parts),
        cmocka_unit_test(other_text_names_no_rule_and_leaves_the_result_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
