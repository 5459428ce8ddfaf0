/* main.c - kvcap: the table of verbs, and what leads to one of them. */

#include <signal.h>
#include <string.h>

#include "face/cli/verbs.h"

#define JSON_FLAG                                                                                  \
    {                                                                                              \
        "json", NULL, "print records and refusals as JSON", false                                  \
    }
#define HELP_FLAG                                                                                  \
    {                                                                                              \
        "help", NULL, "show this", false                                                           \
    }
#define RECORDS_FLAG                                                                               \
    {                                                                                              \
        "records", "DIR", "look for named records there, after the file's own folder", true        \
    }
#define EXPLAIN_FLAG                                                                               \
    {                                                                                              \
        "explain", NULL, "print every number with formula, inputs and source", false               \
    }
#define OUTPUT_FLAG                                                                                \
    {                                                                                              \
        "o", "FILE", "write there instead of to standard output", false                            \
    }

static const struct kvc_flag INSPECT_FLAGS[] = {
    { "cache-type", "FORMAT", "format of cached K and V (default: the model's dtype)", false },
    { "cache-k", "FORMAT", "format of cached K alone", false },
    { "cache-v", "FORMAT", "format of cached V alone", false },
    { "tokens", "N", "length of the sequence that is weighed (default: the model's context)",
      false },
    { "name", "NAME", "the model's name in its record (default: its folder's or file's)", false },
    { "revision", "REV", "the model's revision in its record (default: unknown)", false },
    OUTPUT_FLAG,
    EXPLAIN_FLAG,
    JSON_FLAG,
    HELP_FLAG,
};

static const struct kvc_flag SIZE_FLAGS[] = {
    { "layers", "N", "needed: layers that keep a cache", false },
    { "kv-heads", "N", "needed: key and value heads of a layer", false },
    { "head-dim", "N", "needed: elements of a head, of K and of V", false },
    { "key-dim", "N", "elements of a key head alone", false },
    { "value-dim", "N", "elements of a value head alone", false },
    { "cache-type", "FORMAT", "format of cached K and V (default: f16)", false },
    { "cache-k", "FORMAT", "format of cached K alone", false },
    { "cache-v", "FORMAT", "format of cached V alone", false },
    { "tokens", "N", "needed: tokens of one sequence; 128k is 131,072", false },
    { "sequences", "N", "how many such sequences (default: 1)", false },
    { "block-tokens", "N", "round each sequence up to whole blocks (default: 1, no rounding)",
      false },
    EXPLAIN_FLAG,
    JSON_FLAG,
    HELP_FLAG,
};

static const struct kvc_flag FIT_FLAGS[] = {
    { "engine", "NAME[@VERSION]",
      "engine and its release, day or build (default: the newest profile)", false },
    { "model", "MODEL", "where the model's own files are, or a name (default: the command line's)",
      false },
    { "set", "NAME=VALUE", "a setting by the engine's own name; counts more than the command line",
      true },
    { "available-kv", "BYTES[,...]",
      "memory of the cache, for all workers or one a worker; with a point a GiB as printed",
      false },
    { "device", "NAME", "a device of kvcap devices", false },
    { "device-memory", "BYTES", "memory of one device, as its runtime reports it", false },
    { "device-free", "BYTES", "how much of it is free at start (default: all)", false },
    { "devices", "N", "llama.cpp: so many devices (default: 1)", false },
    { "host-memory", "BYTES", "llama.cpp: memory of the host", false },
    { "weights", "BYTES", "of one worker (default: what the model says, where it does)", false },
    { "activation", "BYTES", "vLLM: the peak of activations that it measures", false },
    { "non-torch", "BYTES", "vLLM: memory outside of torch that it measures", false },
    { "cuda-graphs", "BYTES", "vLLM: what it estimates for CUDA graphs", false },
    { "seek", "WHAT", "context, concurrency: the most that fits; device: the smallest", false },
    { "allow-unknown", NULL, "pass over flags of the command line that are not known", false },
    { "assume-plain", NULL, "a family that is not known keeps plain keys and values", false },
    { "batch", NULL, "questions as JSON, a line each, from standard input", false },
    { "jobs", "N", "batch: threads (default: one a core)", false },
    { "name", "NAME", "the model's name, where its record is made here", false },
    { "revision", "REV", "the model's revision, where its record is made here", false },
    OUTPUT_FLAG,
    EXPLAIN_FLAG,
    JSON_FLAG,
    HELP_FLAG,
};

static const char FIT_NOTES[] =
    "The words behind -- are a command line as it works for the engine: vllm serve MODEL ...,\n"
    "python -m vllm.entrypoints.openai.api_server ..., llama-server ..., llama-cli ..., also "
    "behind\n"
    "docker run ... IMAGE.  Variables of the environment that size memory count, and may stand\n"
    "before the command.  Flags that do not touch memory are listed; one that is not known is\n"
    "refused.  `kvcap engines NAME` lists releases, rules and flags that are known.\n"
    "\n"
    "Bytes are exact.  A number with a decimal point is a GiB as an engine printed it, which was\n"
    "rounded: the answer is then a range.  Without any memory the answer tells what is allocated,\n"
    "and compares nothing.\n"
    "\n"
    "Exit: 0 it fits, or nothing was compared; 1 it exceeds, or the engine refuses to start, or\n"
    "nothing that was sought fits; 2 the question is invalid, in a batch a line of it; 3 it "
    "cannot\n"
    "be said; 4 the world failed.  doc/fit.md tells all members of answers, records and batches.";

static const struct kvc_flag CONTRACT_FLAGS[] = {
    { "model", "MODEL",
      "needed, unless a command line names it: config.json, its folder, a kv-model record, a name",
      false },
    { "engine", "NAME[@VERSION]",
      "with a command line: engine and its release, day or build (default: the newest profile)",
      false },
    { "set", "NAME=VALUE", "a setting by the engine's own name; counts more than the command line",
      true },
    { "allow-unknown", NULL, "pass over flags of the command line that are not known", false },
    { "name", "NAME", "the contract's name (default: the model's)", false },
    { "model-name", "NAME", "the model's name, where its record is made here", false },
    { "model-revision", "REV", "the model's revision, where its record is made here", false },
    { "cache-type", "FORMAT", "format of cached K and V (default: the model's dtype)", false },
    { "cache-k", "FORMAT", "format of cached K alone", false },
    { "cache-v", "FORMAT", "format of cached V alone", false },
    { "allocator-name", "NAME", "paged, or an engine (default: the command line's, or paged)",
      false },
    { "allocator-version", "V", "default: the engine's, or 1", false },
    { "block-tokens", "N", "tokens of a block (default: the engine's, or 16)", false },
    { "overhead-bps", "N", "allocator overhead in basis points (default: 0)", false },
    { "scheduler-name", "NAME", "default: unbound", false },
    { "scheduler-version", "V", "default: 1", false },
    { "scheduler-policy", "NAME", "default: fcfs", false },
    { "sequences-max", "N", "the scheduler's limit (default: 256)", false },
    { "step-tokens-max", "N", "the scheduler's limit (default: 8192)", false },
    { "pool-id", "NAME", "default: pool", false },
    { "devices", "N", "default: tp * pp", false },
    { "device-bytes", "BYTES", "needed, or --device: memory of one device, 80GiB", false },
    { "device", "NAME", "a device of kvcap devices, with what it reports", false },
    { "tp", "N", "tensor parallel ranks (default: 1)", false },
    { "pp", "N", "pipeline stages (default: 1)", false },
    { "dcp", "N", "decode context parallel ranks (default: 1)", false },
    { "ep", "N", "expert parallel ranks (default: 1)", false },
    { "pp-layers", "N,N,...", "layers of each stage, where they are not equal", false },
    { "weights", "BYTES[,...]",
      "on every rank, or one a rank; needed, unless there is one and the model says", false },
    { "weights-bps", "N", "the same as a share of the device", false },
    { "workspaces", "BYTES[,...]", "runtime workspaces (default: 0)", false },
    { "workspaces-bps", "N", "the same as a share of the device", false },
    { "buffers", "BYTES[,...]", "temporary attention buffers (default: 0)", false },
    { "buffers-bps", "N", "the same as a share of the device", false },
    { "graphs", "BYTES[,...]", "graph captures (default: 0)", false },
    { "graphs-bps", "N", "the same as a share of the device", false },
    { "monitoring", "BYTES[,...]", "default: 0", false },
    { "monitoring-bps", "N", "the same as a share of the device", false },
    { "headroom", "BYTES[,...]", "left free for failures (default: 0)", false },
    { "headroom-bps", "N", "the same as a share of the device", false },
    { "requests-max", "N", "requests of a window (default: 1,000,000)", false },
    { "sequences-per-request-max", "N", "default: 64", false },
    { "sequence-tokens-max", "N",
      "longest sequence (default: the model's context; needed if it states none)", false },
    { "window-bytes-max", "BYTES", "most bytes of a window (default: 1024TiB)", false },
    { "owner-model", "NAME", "default: unassigned", false },
    { "owner-capacity", "NAME", "default: unassigned", false },
    { "owner-workload", "NAME", "default: unassigned", false },
    { "prefix-sharing", "POLICY", "none or counted (default: none)", false },
    { "prefix-invalidation", "NAME", "with counted: the rule that ends a prefix", false },
    { "prefix-evidence", "ID", "with counted: id or digest of what shows the sharing", false },
    { "evidence-max-age-ns", "N", "default: 3600000000000, one hour", false },
    { "lease-ns", "N", "default: 30000000000", false },
    { "idempotency-window-ns", "N", "default: 600000000000", false },
    { "drift-max-blocks", "N", "default: 64", false },
    { "tolerance", "SIGNAL=BPS", "allowed gap of a signal when compared", true },
    OUTPUT_FLAG,
    RECORDS_FLAG,
    JSON_FLAG,
    HELP_FLAG,
};

static const struct kvc_flag EVIDENCE_FLAGS[] = {
    { "from", "T", "needed: start of the window, 2026-08-11T09:00:00Z", false },
    { "to", "T", "needed: end of the window", false },
    { "captured-by", "NAME", "needed: who captured it", false },
    { "reported-device-bytes", "BYTES", "needed: memory that the device reports", false },
    { "reported-cache-bytes", "BYTES[,...]",
      "needed: cache that the engine reports, one number a rank (stage * tp + tp rank)", false },
    { "stream", NULL, "write JSON Lines, whatever its size (always so past 16 MiB)", false },
    OUTPUT_FLAG,
    RECORDS_FLAG,
    JSON_FLAG,
    HELP_FLAG,
};

static const struct kvc_flag SEAL_FLAGS[] = { OUTPUT_FLAG, RECORDS_FLAG, JSON_FLAG, HELP_FLAG };

static const struct kvc_flag PLAN_FLAGS[] = {
    { "example", NULL, "plan the reference example, from nothing but this program", false },
    { "bundle", "FILE", "write model, contract, evidence and plan there, as JSON Lines", false },
    OUTPUT_FLAG,
    RECORDS_FLAG,
    EXPLAIN_FLAG,
    JSON_FLAG,
    HELP_FLAG,
};

static const struct kvc_flag VERIFY_FLAGS[] = { RECORDS_FLAG, JSON_FLAG, HELP_FLAG };
static const struct kvc_flag DIFF_FLAGS[] = {
    { "model", "MODEL", "of two fits, where their model's record is not at hand", false },
    RECORDS_FLAG,
    JSON_FLAG,
    HELP_FLAG,
};

static const struct kvc_flag EXPORT_FLAGS[] = {
    { "in-toto", NULL, "an in-toto Statement v1 about a plan, to be signed", false },
    { "canonical", NULL, "the canonical bytes without id: what the digest covers", false },
    OUTPUT_FLAG,
    JSON_FLAG,
    HELP_FLAG,
};

static const struct kvc_flag MODELS_FLAGS[] = { JSON_FLAG, HELP_FLAG };
static const struct kvc_flag DEVICES_FLAGS[] = {
    { "explain", NULL, "print where each number was read, and notes", false },
    JSON_FLAG,
    HELP_FLAG,
};

static const struct kvc_flag ENGINES_FLAGS[] = {
    { "explain", NULL, "print where each release and change was read, and what settings are",
      false },
    { "markdown", NULL, "print all of it as doc/engines.md", false },
    JSON_FLAG,
    HELP_FLAG,
};

#define FLAGS(table) .flags = table, .flags_count = sizeof(table) / sizeof((table)[0])

const char kvc_program[] = "kvcap";

/* Every verb that takes a model takes it in any of these forms. */
#define MODEL_NOTES                                                                                \
    "MODEL is a config.json, a folder with one (and the weights' headers beside it), a *.gguf\n"   \
    "file or the first of a split, hf:ORG/NAME[@REV][/FILE], a name that `kvcap models` lists,\n"  \
    "a kv-model record, or - for standard input.  Headers are read, never weights.\n"              \
    "\n"                                                                                           \
    "hf: names run kvcap-net.  HF_TOKEN, HF_ENDPOINT and HF_HUB_OFFLINE are honoured; what is\n"   \
    "fetched is kept in KVCAP_CACHE (default: ~/.cache/kvcap)."

const struct kvc_verb kvc_verbs[] = {
    { .name = "inspect",
      .sentence = "What does each layer keep; bytes a token, a sequence.",
      .operands = "MODEL",
      .operands_min = 1,
      .operands_max = 1,
      .example = "kvcap inspect Llama-3.1-8B/config.json --tokens 128k",
      .notes = MODEL_NOTES,
      FLAGS(INSPECT_FLAGS),
      .run = kvc_verb_inspect },
    { .name = "size",
      .sentence = "The first-order formula, nothing else.",
      .operands = "",
      .example = "kvcap size --layers 36 --kv-heads 2 --head-dim 128 --cache-type f16 "
                 "--tokens 4096 --sequences 4",
      FLAGS(SIZE_FLAGS),
      .run = kvc_verb_size },
    { .name = "fit",
      .sentence = "What will this version of this engine allocate, print and refuse.",
      .operands = "[-- ENGINE COMMAND LINE]",
      .operands_min = 0,
      .operands_max = KVC_OPERANDS_ANY,
      .example = "kvcap fit --available-kv 20GiB -- vllm serve google/gemma-3-27b-it "
                 "--max-model-len 128k\n"
                 "kvcap fit --engine llama.cpp@0.4.0 -- llama-server -m model.gguf -c 16384 -np 4\n"
                 "kvcap fit --batch < cases.jsonl > answers.jsonl",
      .notes = FIT_NOTES,
      FLAGS(FIT_FLAGS),
      .run = kvc_verb_fit },
    { .name = "contract",
      .sentence = "Write the contract and model records of a deployment.",
      .operands = "[-- ENGINE COMMAND LINE]",
      .operands_max = KVC_OPERANDS_ANY,
      .example = "kvcap contract --engine vllm@0.11.0 --device-bytes 80GiB --weights 54GiB -- vllm "
                 "serve google/gemma-3-27b-it --max-model-len 32k > deployment.jsonl\n"
                 "kvcap contract --model config.json --cache-k f16 --cache-v f16 "
                 "--device-bytes 80GiB --weights 16GiB --headroom-bps 1000 > deployment.jsonl",
      .notes = MODEL_NOTES,
      FLAGS(CONTRACT_FLAGS),
      .run = kvc_verb_contract },
    { .name = "evidence",
      .sentence = "Capture one window of requests under a contract.",
      .operands = "CONTRACT WINDOW",
      .operands_min = 2,
      .operands_max = 2,
      .example = "kvcap evidence deployment.jsonl window.csv --from 2026-08-11T09:00:00Z "
                 "--to 2026-08-11T09:05:00Z --captured-by gateway-3 "
                 "--reported-device-bytes 80GiB --reported-cache-bytes 40GiB > evidence.json",
      FLAGS(EVIDENCE_FLAGS),
      .run = kvc_verb_evidence },
    { .name = "seal",
      .sentence = "Check a hand-written record and add its id.",
      .operands = "FILE",
      .operands_min = 1,
      .operands_max = 1,
      .example = "kvcap seal model.draft.yaml -o model.json",
      FLAGS(SEAL_FLAGS),
      .run = kvc_verb_seal },
    { .name = "plan",
      .sentence = "May this window run: FIT or EXCEEDS_CAPACITY.",
      .operands = "CONTRACT EVIDENCE",
      .operands_min = 0,
      .operands_max = 2,
      .example = "kvcap plan deployment.jsonl evidence.json\n"
                 "kvcap plan deployment.jsonl evidence.json --json > plan.json\n"
                 "kvcap plan --example",
      FLAGS(PLAN_FLAGS),
      .run = kvc_verb_plan },
    { .name = "verify",
      .sentence = "Is it intact, and does it still follow from what it names.",
      .operands = "FILE...",
      .operands_min = 1,
      .operands_max = KVC_OPERANDS_ANY,
      .example = "kvcap verify plan.json",
      FLAGS(VERIFY_FLAGS),
      .run = kvc_verb_verify },
    { .name = "diff",
      .sentence = "What differs between two records, and what moved the capacity.",
      .operands = "A B",
      .operands_min = 2,
      .operands_max = 2,
      .example = "kvcap diff monday/plan.json tuesday/plan.json",
      FLAGS(DIFF_FLAGS),
      .run = kvc_verb_diff },
    { .name = "export",
      .sentence = "Write a record for other tools, such as those that sign.",
      .operands = "RECORD",
      .operands_min = 1,
      .operands_max = 1,
      .example = "kvcap export --in-toto plan.json > statement.json",
      FLAGS(EXPORT_FLAGS),
      .run = kvc_verb_export },
    { .name = "models",
      .sentence = "Which models are known by name, and what they keep.",
      .operands = "[NAME-PART]",
      .operands_min = 0,
      .operands_max = 1,
      .example = "kvcap models llama-3.1",
      FLAGS(MODELS_FLAGS),
      .run = kvc_verb_models },
    { .name = "devices",
      .sentence = "Which accelerators are known, and how much memory they have.",
      .operands = "[NAME-PART]",
      .operands_min = 0,
      .operands_max = 1,
      .example = "kvcap devices h100 --explain",
      FLAGS(DEVICES_FLAGS),
      .run = kvc_verb_devices },
    { .name = "engines",
      .sentence = "Which engines are known, at which versions, and by which settings.",
      .operands = "[NAME[@VERSION]]",
      .operands_min = 0,
      .operands_max = 1,
      .example = "kvcap engines vllm --explain\n"
                 "kvcap engines vllm@0.11.3",
      FLAGS(ENGINES_FLAGS),
      .run = kvc_verb_engines },
};

const size_t kvc_verbs_count = sizeof kvc_verbs / sizeof kvc_verbs[0];

static const char *verb_name(const void *context, size_t index)
{
    (void)context;
    return index < kvc_verbs_count ? kvc_verbs[index].name : NULL;
}

static const struct kvc_verb *verb_named(const char *name)
{
    for (size_t i = 0; i < kvc_verbs_count; i++) {
        if (strcmp(kvc_verbs[i].name, name) == 0)
            return &kvc_verbs[i];
    }
    return NULL;
}

static bool wants_json(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            return true;
    }
    return false;
}

static int unknown_verb(int argc, char **argv)
{
    struct kvc_call call = { .json = wants_json(argc, argv) };
    const char *nearest = kvc_nearest(argv[1], verb_name, NULL);
    kvcap_error error;
    kvc_fail(&error, KVC_USAGE_UNKNOWN_VERB, argv[1], "there is no such verb%s%s",
             nearest == NULL ? "" : "; the nearest is ", nearest == NULL ? "" : nearest);
    return kvc_refused(&call, &error);
}

static int run_verb(const struct kvc_verb *verb, int argc, char **argv)
{
    struct kvc_call call;
    kvcap_error error;
    int status;
    if (kvc_call_parse(verb, argc, argv, &call, &error) != KVCAP_OK) {
        call.json = call.json || wants_json(argc, argv);
        status = kvc_refused(&call, &error);
    } else if (kvc_given(&call, "help")) {
        kvc_help_verb(verb, stdout);
        status = KVC_EXIT_YES;
    } else {
        status = verb->run(&call);
    }
    status = kvc_finish_output(&call, status);
    kvc_call_drop(&call);
    return status;
}

int main(int argc, char **argv)
{
    /* A closed pipe is told as a failed write, with its exit status, not by a signal. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* so is a file past the limit of its size */
    const char *word = argc < 2 ? "--help" : argv[1];
    const struct kvc_verb *verb = verb_named(word);
    if (verb != NULL)
        return run_verb(verb, argc - 2, argv + 2);

    struct kvc_call call = { 0 };
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        kvc_help_program(stdout);
    else if (strcmp(word, "--version") == 0)
        printf("kvcap %s\n", kvcap_version());
    else if (strcmp(word, "--man") == 0)
        kvc_help_man(stdout);
    else if (strcmp(word, "--completion") == 0)
        kvc_help_completion(stdout);
    else
        return unknown_verb(argc, argv);
    return kvc_finish_output(&call, KVC_EXIT_YES);
}
