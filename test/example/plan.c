/* plan.c - does this window of requests fit?
 *
 *   cc -std=c99 plan.c -lkvcap && ./a.out model.json contract.json evidence.json
 *
 * Three records in, a decision out.  The plan is a record, too: kvcap_plan_json is what one keeps. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <kvcap.h>

static int tell(const kvcap_error *error)
{
    fprintf(stderr, "%s at %s: %s (%s)\n", error->slug, error->at, error->text,
            kvcap_advice(error));
    return 0;
}

/* A file as a record; NULL when it is none. */
static kvcap_record *read_record(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return NULL;
    }
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);

    kvcap_record *record = NULL;
    kvcap_error error;
    if (kvcap_record_read(text, length, KVCAP_JSON, &record, &error) != KVCAP_OK)
        tell(&error);
    return record;
}

static int print_plan(const kvcap_plan *plan)
{
    static const char *const WORDS[] = { "", "FIT", "EXCEEDS_CAPACITY", "UNDETERMINED" };
    kvcap_summary summary = { 0 };
    kvcap_error error;
    summary.struct_size = sizeof summary; /* so that a later library knows which fields you have */
    if (kvcap_plan_summary(plan, &summary, &error) != KVCAP_OK)
        return tell(&error);
    printf("plan=%s\n", kvcap_plan_id(plan));
    printf("decision=%s\n", WORDS[summary.decision]);
    printf("required_bytes=%" PRIu64 "\n", summary.required_bytes);
    printf("available_bytes=%" PRIu64 "\n", summary.available_bytes);
    printf("sequences_max=%" PRIu64 "\n", summary.sequences_max);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: plan MODEL CONTRACT EVIDENCE\n");
        return EXIT_FAILURE;
    }
    kvcap_record *model = read_record(argv[1]);
    kvcap_record *contract = read_record(argv[2]);
    kvcap_record *evidence = read_record(argv[3]);
    kvcap_plan *plan = NULL;
    kvcap_error error;
    int done = 0;

    /* A record that could not be read is NULL, and is refused here by its name. */
    if (kvcap_plan_make(model, contract, evidence, &plan, &error) == KVCAP_OK)
        done = print_plan(plan);
    else
        tell(&error);

    kvcap_plan_free(plan);
    kvcap_record_free(evidence);
    kvcap_record_free(contract);
    kvcap_record_free(model);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
