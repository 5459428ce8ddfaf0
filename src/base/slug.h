/* slug.h - every reason for which kvcap refuses something, once.
 *
 * Room:   base/ - pure, a table.
 *
 * A slug is `class.reason`.  It is part of the interface: programs match on it, so it is never
 * renamed and never given a second meaning.  The third column is its class as a pinned code
 * (include/kvcap.h); the fourth says what to do, and is printed after the sentence that the
 * place of the refusal wrote.
 *
 * The json.* rows are the record.* rows of the same name for text that is not ours (a model's
 * config.json): one scanner, two modes, and a reader of the message can tell which it was.
 */
#ifndef KVC_BASE_SLUG_H
#define KVC_BASE_SLUG_H

/* clang-format off */
#define KVC_SLUG_MAP(XX)                                                                              \
    /* the call or the command line */                                                                \
    XX(USAGE_UNKNOWN_VERB,    "usage.unknown_verb",    E_USAGE, "run kvcap alone for the verbs")      \
    XX(USAGE_UNKNOWN_FLAG,    "usage.unknown_flag",    E_USAGE, "run the verb with --help for its flags") \
    XX(USAGE_MISSING_FLAG,    "usage.missing_flag",    E_USAGE, "add the flag")                       \
    XX(USAGE_REPEATED_FLAG,   "usage.repeated_flag",   E_USAGE, "give the flag once")                 \
    XX(USAGE_MISSING_VALUE,   "usage.missing_value",   E_USAGE, "give the flag a value")              \
    XX(USAGE_BAD_VALUE,       "usage.bad_value",       E_USAGE, "give a value of the stated form")    \
    XX(USAGE_OPERANDS,        "usage.operands",        E_USAGE, "run the verb with --help for its form") \
    XX(USAGE_CONFLICT,        "usage.conflict",        E_USAGE, "use one of them")                    \
    XX(USAGE_NULL,            "usage.null_argument",   E_USAGE, "pass a pointer where one is due")    \
    XX(USAGE_WRONG_KIND,      "usage.wrong_kind",      E_USAGE, "pass a record of the kind that is due") \
    XX(USAGE_STRUCT_SIZE,     "usage.struct_size",     E_USAGE, "set struct_size to sizeof the struct") \
    XX(USAGE_OUT_OF_RANGE,    "usage.out_of_range",    E_USAGE, "pass a value within the stated bounds") \
    XX(USAGE_ORDER,           "usage.call_order",      E_USAGE, "make the calls in the stated order") \
    XX(USAGE_BUFFER,          "usage.buffer_too_small", E_USAGE, "pass a larger buffer")              \
    XX(USAGE_UNKNOWN_NAME,    "usage.unknown_name",    E_USAGE, "run kvcap models or kvcap devices for the names; a model on a hub is hf:ORG/NAME") \
    XX(USAGE_UNKNOWN_ENGINE,  "usage.unknown_engine",  E_USAGE, "run kvcap engines for the engines and their versions") \
    XX(USAGE_UNKNOWN_SETTING, "usage.unknown_setting", E_USAGE, "use the engine's own name for it, or leave it out") \
    XX(USAGE_SECRET,          "usage.secret",          E_USAGE, "leave the secret out of the command line") \
    XX(USAGE_BAD_SETTING,     "usage.bad_setting",     E_USAGE, "give a value that the engine takes") \
    /* the text of a record */                                                                        \
    XX(RECORD_SYNTAX,         "record.syntax",         E_RECORD, "write plain JSON")                  \
    XX(RECORD_DUPLICATE_KEY,  "record.duplicate_key",  E_RECORD, "keep one of the two")               \
    XX(RECORD_BAD_UTF8,       "record.bad_utf8",       E_RECORD, "write the text in UTF-8")           \
    XX(RECORD_LONE_SURROGATE, "record.lone_surrogate", E_RECORD, "write a whole surrogate pair, or the character itself") \
    XX(RECORD_TRAILING_BYTES, "record.trailing_bytes", E_RECORD, "end the text after the one value")  \
    XX(RECORD_TOO_DEEP,       "record.too_deep",       E_RECORD, "nest at most 64 levels")            \
    XX(RECORD_TOO_LARGE,      "record.too_large",      E_RECORD, "write a window as JSON Lines, or split the file") \
    XX(RECORD_EMPTY,          "record.empty",          E_RECORD, "give a file that holds a record")   \
    XX(RECORD_NOT_INTEGER,    "record.not_integer",    E_RECORD, "write a whole number without fraction or exponent") \
    XX(RECORD_NEGATIVE_ZERO,  "record.negative_zero",  E_RECORD, "write 0")                           \
    XX(RECORD_UNSAFE_INTEGER, "record.unsafe_integer", E_RECORD, "keep integers within 2^53-1")       \
    XX(RECORD_WRONG_TYPE,     "record.wrong_type",     E_RECORD, "write a value of the type that is due") \
    XX(RECORD_UNKNOWN_KEY,    "record.unknown_key",    E_RECORD, "remove the key or mend its spelling") \
    XX(RECORD_MISSING_KEY,    "record.missing_key",    E_RECORD, "add the key")                       \
    XX(RECORD_OUT_OF_RANGE,   "record.out_of_range",   E_RECORD, "write a value within the stated bounds") \
    XX(RECORD_BAD_NAME,       "record.bad_name",       E_RECORD, "write 1 to 256 bytes of text without control characters") \
    XX(RECORD_BAD_ID,         "record.bad_id",         E_RECORD, "write <kind>@sha256:<64 lower-case hex digits>") \
    XX(RECORD_BAD_DIGEST,     "record.bad_digest",     E_RECORD, "write sha256:<64 lower-case hex digits>") \
    XX(RECORD_BAD_INSTANT,    "record.bad_instant",    E_RECORD, "write YYYY-MM-DDThh:mm:ss[.f]Z")    \
    XX(RECORD_UNKNOWN_WORD,   "record.unknown_word",   E_RECORD, "write one of the words that the field knows") \
    XX(RECORD_UNKNOWN_KIND,   "record.unknown_kind",   E_RECORD, "write a kind that this program reads") \
    XX(RECORD_BAD_VERSION,    "record.bad_version",    E_RECORD, "write version 1")                   \
    XX(RECORD_NOT_SORTED,     "record.not_sorted",     E_RECORD, "sort the list, each entry once")    \
    XX(RECORD_DRAFT,          "record.draft",          E_RECORD, "run kvcap seal on it first")        \
    XX(RECORD_NOT_A_DRAFT,    "record.not_a_draft",    E_RECORD, "remove the id to seal it anew")     \
    XX(RECORD_ID_MISMATCH,    "record.id_mismatch",    E_ALTERED, "restore the record, or remove its id and seal it anew") \
    XX(RECORD_NOT_FOUND,      "record.not_found",      E_MISSING, "name its file, or its folder with --records") \
    /* YAML, mapped onto the same values */                                                           \
    XX(YAML_SYNTAX,           "yaml.syntax",           E_RECORD, "mend the YAML")                     \
    XX(YAML_ANCHOR,           "yaml.anchor",           E_RECORD, "write the value out where it is due") \
    XX(YAML_ALIAS,            "yaml.alias",            E_RECORD, "write the value out where it is due") \
    XX(YAML_DIRECTIVE,        "yaml.directive",        E_RECORD, "remove the line that begins with %TAG") \
    XX(YAML_TAG,              "yaml.tag",              E_RECORD, "remove the tag")                    \
    XX(YAML_MERGE_KEY,        "yaml.merge_key",        E_RECORD, "write the members out")             \
    XX(YAML_KEY_NOT_TEXT,     "yaml.key_not_text",     E_RECORD, "write a plain or quoted key")       \
    XX(YAML_DOCUMENTS,        "yaml.several_documents", E_RECORD, "keep one document a file")         \
    /* text that is not ours */                                                                       \
    XX(JSON_SYNTAX,           "json.syntax",           E_METADATA, "check that the file is whole JSON") \
    XX(JSON_DUPLICATE_KEY,    "json.duplicate_key",    E_METADATA, "keep one of the two")             \
    XX(JSON_BAD_UTF8,         "json.bad_utf8",         E_METADATA, "write the text in UTF-8")         \
    XX(JSON_LONE_SURROGATE,   "json.lone_surrogate",   E_METADATA, "write a whole surrogate pair, or the character itself") \
    XX(JSON_TRAILING_BYTES,   "json.trailing_bytes",   E_METADATA, "end the text after the one value") \
    XX(JSON_TOO_DEEP,         "json.too_deep",         E_METADATA, "nest at most 64 levels")          \
    XX(JSON_TOO_LARGE,        "json.too_large",        E_METADATA, "check that this is the right file") \
    XX(JSON_EMPTY,            "json.empty",            E_METADATA, "check that this is the right file") \
    XX(METADATA_MISSING_KEY,  "metadata.missing_key",  E_METADATA, "use the model's own config.json, or write a kv-model by hand") \
    XX(METADATA_WRONG_TYPE,   "metadata.wrong_type",   E_METADATA, "use the model's own config.json, or write a kv-model by hand") \
    XX(METADATA_OUT_OF_RANGE, "metadata.out_of_range", E_METADATA, "use the model's own config.json, or write a kv-model by hand") \
    XX(METADATA_NOT_A_MODEL,  "metadata.not_a_model",  E_METADATA, "give a config.json or a kv-model record") \
    XX(METADATA_NOT_KNOWN,    "metadata.not_known",    E_METADATA, "write a kv-model by hand")        \
    XX(METADATA_NO_CACHE,     "metadata.no_cache",     E_METADATA, "give a model that decodes")       \
    /* a GGUF file */                                                                                 \
    XX(GGUF_MAGIC,            "gguf.magic",            E_METADATA, "give a GGUF file") \
    XX(GGUF_VERSION_1,        "gguf.version_1",        E_METADATA, "convert the model again: version 1 is read by no engine of today") \
    XX(GGUF_VERSION,          "gguf.version",          E_METADATA, "give a file of version 2 or 3") \
    XX(GGUF_BIG_ENDIAN,       "gguf.big_endian",       E_METADATA, "give the little-endian file of the model") \
    XX(GGUF_TRUNCATED,        "gguf.truncated",        E_METADATA, "fetch the file again: it was cut") \
    XX(GGUF_TOO_LARGE,        "gguf.header_too_large", E_METADATA, "check that this is a GGUF file") \
    XX(GGUF_COUNT,            "gguf.count",            E_METADATA, "fetch the file again: it was cut or altered") \
    XX(GGUF_KEY,              "gguf.key",              E_METADATA, "convert the model again") \
    XX(GGUF_DUPLICATE_KEY,    "gguf.duplicate_key",    E_METADATA, "convert the model again") \
    XX(GGUF_VALUE_TYPE,       "gguf.value_type",       E_METADATA, "fetch the file again: it was altered") \
    XX(GGUF_NESTED_ARRAY,     "gguf.nested_array",     E_METADATA, "convert the model again: no engine reads lists of lists") \
    XX(GGUF_LENGTH_PAST_END,  "gguf.length_past_end",  E_METADATA, "fetch the file again: it was cut or altered") \
    XX(GGUF_TRUTH,            "gguf.truth_value",      E_METADATA, "fetch the file again: it was altered") \
    XX(GGUF_ALIGNMENT,        "gguf.alignment",        E_METADATA, "convert the model again") \
    XX(GGUF_TENSOR_NAME,      "gguf.tensor_name",      E_METADATA, "convert the model again") \
    XX(GGUF_DUPLICATE_TENSOR, "gguf.duplicate_tensor", E_METADATA, "convert the model again") \
    XX(GGUF_DIMENSIONS,       "gguf.dimensions",       E_METADATA, "fetch the file again: it was altered") \
    XX(GGUF_TENSOR_TYPE,      "gguf.tensor_type",      E_METADATA, "quantise the model again to a type that is still in use") \
    XX(GGUF_BLOCK,            "gguf.block_does_not_divide", E_METADATA, "quantise the model again") \
    XX(GGUF_OFFSET,           "gguf.offset",           E_METADATA, "convert the model again") \
    XX(GGUF_OFFSET_PAST_END,  "gguf.offset_past_end",  E_METADATA, "fetch the file again: it was cut") \
    XX(GGUF_SPLIT,            "gguf.split",            E_METADATA, "give all parts of one split model, as they were written") \
    XX(GGUF_SPLIT_FIRST,      "gguf.split_first",      E_METADATA, "give the first part, whose name ends in -00001-of-NNNNN.gguf") \
    /* the weights of a model, and its folder */                                                      \
    XX(SAFETENSORS_SHORT,       "safetensors.too_short", E_METADATA, "check that the file is whole")  \
    XX(SAFETENSORS_POINTER,     "safetensors.lfs_pointer", E_METADATA, "fetch the file itself, with git lfs pull or a download") \
    XX(SAFETENSORS_LENGTH,      "safetensors.header_length", E_METADATA, "check that this is a whole safetensors file") \
    XX(SAFETENSORS_NOT_OBJECT,  "safetensors.not_object", E_METADATA, "check that this is a safetensors file") \
    XX(SAFETENSORS_ENTRY,       "safetensors.bad_entry", E_METADATA, "write the file anew with the safetensors library") \
    XX(SAFETENSORS_DTYPE,       "safetensors.unknown_dtype", E_METADATA, "use a version of kvcap that knows the dtype") \
    XX(SAFETENSORS_SHAPE,       "safetensors.shape_overflow", E_METADATA, "write the file anew with the safetensors library") \
    XX(SAFETENSORS_OFFSETS,     "safetensors.bad_offsets", E_METADATA, "write the file anew with the safetensors library") \
    XX(SAFETENSORS_BYTES,       "safetensors.bytes_disagree", E_METADATA, "write the file anew with the safetensors library") \
    XX(SAFETENSORS_HOLE,        "safetensors.hole", E_METADATA, "write the file anew with the safetensors library") \
    XX(SAFETENSORS_OVERLAP,     "safetensors.overlap", E_METADATA, "write the file anew with the safetensors library") \
    XX(SAFETENSORS_TWICE,       "safetensors.duplicate_name", E_METADATA, "write the file anew with the safetensors library") \
    XX(SAFETENSORS_PAST_FILE,   "safetensors.past_file", E_METADATA, "fetch the file anew: its end is missing") \
    XX(SAFETENSORS_TRAILING,    "safetensors.trailing_bytes", E_METADATA, "fetch the file anew")      \
    XX(SAFETENSORS_INDEX,       "safetensors.bad_index", E_METADATA, "take the index from the model's publisher") \
    XX(FOLDER_NO_MODEL,         "folder.no_model", E_METADATA, "give a folder with config.json, params.json or a GGUF file") \
    XX(FOLDER_SEVERAL_GGUF,     "folder.several_gguf", E_METADATA, "name the one file that is meant") \
    XX(FOLDER_GGUF_PART,        "folder.gguf_part_missing", E_METADATA, "fetch the whole set")        \
    XX(FOLDER_TOO_MANY,         "folder.too_many_files", E_METADATA, "give the folder of one model")  \
    XX(FOLDER_NAME,             "folder.bad_name", E_USAGE, "name each file once, by its name within the folder") \
    XX(FOLDER_HEAD,             "folder.head_too_short", E_USAGE, "give as many bytes as kvcap_model_file_needs says") \
    /* the kinds */                                                                                   \
    XX(MODEL_LAYERS_NOT_CANONICAL, "model.layers_not_canonical", E_RECORD, "number the types by first use and merge neighbouring runs") \
    XX(MODEL_NO_SOURCE,       "model.no_source",       E_RECORD, "add a source at or above the number") \
    XX(MODEL_SOURCE_NOWHERE,  "model.source_nowhere",  E_RECORD, "point at a member of this record")  \
    XX(MODEL_ARTEFACT,        "model.artefact",        E_RECORD, "give sha256 and bytes together, and always but for hand and built_in") \
    XX(MODEL_DIGEST,          "model.architecture_digest", E_RECORD, "remove architecture_digest and seal anew") \
    XX(MODEL_SHARED_LAYER,    "model.shared_layer",    E_RECORD, "name an earlier layer with kv, kv_window or latent") \
    XX(MODEL_STATES,          "model.states",          E_RECORD, "mend the list of states")           \
    XX(MODEL_FORMAT,          "model.format",          E_RECORD, "name a format with plain elements") \
    XX(CONTRACT_DIGEST,       "contract.architecture_digest", E_CONTRACT, "take architecture_digest from the model record") \
    XX(CONTRACT_MODEL,        "contract.model",        E_CONTRACT, "give the model that the contract names") \
    XX(CONTRACT_FORMAT_LAYOUT, "contract.format_layout", E_CONTRACT, "leave the layout out of the draft: seal fills it in") \
    XX(CONTRACT_FORMAT_DIVIDE, "contract.format_does_not_divide", E_CONTRACT, "choose a format whose group divides the row") \
    XX(CONTRACT_FORMAT_STATE, "contract.format_not_for_state", E_CONTRACT, "use fp8_ds_mla for K and V of a latent model alone") \
    XX(CONTRACT_TP,           "contract.tp_does_not_divide", E_CONTRACT, "choose a tp that divides, or is a multiple of, the count") \
    XX(CONTRACT_DEVICES,      "contract.devices",      E_CONTRACT, "make devices = tp * pp")          \
    XX(CONTRACT_DCP,          "contract.dcp",          E_CONTRACT, "set dcp to 1")                    \
    XX(CONTRACT_PP_LAYERS,    "contract.pp_layers",    E_CONTRACT, "give one count a stage that add up to the layers") \
    XX(CONTRACT_RANKS,        "contract.ranks",        E_CONTRACT, "give one entry a rank")           \
    XX(CONTRACT_ALLOCATOR,    "contract.allocator",    E_CONTRACT, "use paged 1, or an engine at a version that kvcap engines knows") \
    XX(CONTRACT_SETTINGS,     "contract.settings",     E_CONTRACT, "give settings only with an engine, and none that contradict the contract") \
    XX(CONTRACT_ENGINE,       "contract.engine_refuses", E_CONTRACT, "change what the engine refuses: kvcap fit shows it") \
    XX(CONTRACT_BLOCK_TOKENS, "contract.block_tokens", E_CONTRACT, "give the block that the engine has") \
    XX(CONTRACT_BLOCK_DIVIDE, "contract.block_does_not_divide", E_CONTRACT, "make block_tokens a multiple of every compress_ratio") \
    XX(CONTRACT_RESERVATION,  "contract.reservation",  E_CONTRACT, "use full-declared-growth, version 1") \
    XX(CONTRACT_NO_CACHE_LEFT, "contract.no_cache_left", E_CONTRACT, "declare less beside the cache, or a larger device") \
    XX(CONTRACT_NOTHING_HELD, "contract.nothing_held", E_CONTRACT, "choose stages that each hold some cache") \
    XX(CONTRACT_ADOPTED,      "contract.adopted_nowhere", E_CONTRACT, "point at a member of this record") \
    XX(CONTRACT_PARENT,       "contract.parent_and_adopted", E_CONTRACT, "give both parent and adopted, or neither") \
    XX(EVIDENCE_CONTRACT,     "evidence.contract",     E_EVIDENCE, "give the contract that the evidence names, or capture the window anew") \
    XX(EVIDENCE_STALE_SCOPE,  "evidence.stale_scope",  E_EVIDENCE, "capture the window anew under the contract in force") \
    XX(EVIDENCE_CAPACITY,     "evidence.capacity_above_contract", E_EVIDENCE, "report what the contract allows, or write a new contract") \
    XX(EVIDENCE_RANKS,        "evidence.ranks",        E_EVIDENCE, "report one entry a rank, tp * pp of them") \
    XX(EVIDENCE_EMPTY,        "evidence.empty_window", E_EVIDENCE, "give at least one request")       \
    XX(EVIDENCE_DUPLICATE,    "evidence.duplicate_request", E_EVIDENCE, "use a request_id once")      \
    XX(EVIDENCE_PAST_BOUND,   "evidence.past_bound",   E_EVIDENCE, "keep within the contract's bounds, or write a new contract") \
    XX(EVIDENCE_PREFIX,       "evidence.prefix",       E_EVIDENCE, "give prefix_id and prefix_tokens together, prefix_tokens within prompt_tokens") \
    XX(EVIDENCE_PREFIX_DISAGREES, "evidence.prefix_disagrees", E_EVIDENCE, "give one prefix one length within a tenant") \
    XX(EVIDENCE_COHORTS,      "evidence.too_many_cohorts", E_EVIDENCE, "use at most 1,024 cohorts")   \
    XX(EVIDENCE_WINDOW,       "evidence.window",       E_EVIDENCE, "make start earlier than end")     \
    XX(EVIDENCE_LINE_TOO_LONG, "evidence.line_too_long", E_EVIDENCE, "keep a line within 64 KiB")     \
    XX(CSV_HEADER,            "csv.header",            E_EVIDENCE, "name request_id, cohort, tenant, prompt_tokens, max_output_tokens and sequences in the first line") \
    XX(CSV_SYNTAX,            "csv.syntax",            E_EVIDENCE, "write RFC 4180 comma-separated text") \
    XX(CSV_BAD_VALUE,         "csv.bad_value",         E_EVIDENCE, "write a plain integer")           \
    XX(PLAN_TOTAL_OVERFLOW,   "plan.total_overflow",   E_RANGE, "plan a smaller window")              \
    XX(PLAN_PAST_BOUND,       "plan.past_bound",       E_PLAN, "plan a smaller window, or write a new contract") \
    XX(FIT_ENGINE,            "fit.engine",            E_RECORD, "use a version of kvcap that knows the engine") \
    /* models by name, from a hub */                                                                  \
    XX(NET_BAD_NAME,          "net.bad_name",          E_USAGE, "write hf:ORG/NAME, then @REV and /FILE if they are wanted") \
    XX(NET_BAD_ENDPOINT,      "net.bad_endpoint",      E_USAGE, "set HF_ENDPOINT to http(s)://HOST[:PORT][/PATH], or unset it") \
    XX(NET_BAD_TOKEN,         "net.bad_token",         E_USAGE, "set HF_TOKEN to the token alone, or unset it") \
    XX(NET_FILE_KIND,         "net.file_kind",         E_USAGE, "name a config.json, an index, a .safetensors or a .gguf file") \
    XX(NET_SEVERAL_MODELS,    "net.several_models",    E_USAGE, "name one of its files: hf:ORG/NAME/FILE") \
    XX(NET_NO_MODEL,          "net.no_model",          E_METADATA, "name a repository with a config.json, safetensors or GGUF files") \
    XX(NET_HOST,              "net.host_not_found",    E_IO, "check the network and HF_ENDPOINT")     \
    XX(NET_CONNECT,           "net.no_connection",     E_IO, "check the network and HF_ENDPOINT")     \
    XX(NET_TIMEOUT,           "net.timeout",           E_IO, "try again later; the limits are in kvcap-net --help") \
    XX(NET_TLS,               "net.tls",               E_IO, "check this machine's clock and certificates, and CURL_CA_BUNDLE") \
    XX(NET_UNAUTHORIZED,      "net.unauthorized",      E_IO, "check the name, set HF_TOKEN, and accept the licence on the model's page if it has one") \
    XX(NET_FORBIDDEN,         "net.forbidden",         E_IO, "accept the licence on the model's page, and set HF_TOKEN to a token that may read it") \
    XX(NET_NO_REPOSITORY,     "net.no_repository",     E_IO, "check the name; where it is private, set HF_TOKEN") \
    XX(NET_NO_REVISION,       "net.no_revision",       E_IO, "check the branch, tag or commit after @")   \
    XX(NET_NO_FILE,           "net.no_file",           E_IO, "check the file's name on the model's page") \
    XX(NET_RANGE,             "net.range",             E_IO, "check the file on the model's page: it may be empty") \
    XX(NET_TOO_MANY,          "net.too_many_requests", E_IO, "wait, then try again; with HF_TOKEN set the limit is higher") \
    XX(NET_SERVER,            "net.server",            E_IO, "try again later")                       \
    XX(NET_STATUS,            "net.status",            E_IO, "check HF_ENDPOINT")                     \
    XX(NET_REDIRECT,          "net.redirect",          E_IO, "check HF_ENDPOINT")                     \
    XX(NET_TRUNCATED,         "net.truncated",         E_IO, "try again")                             \
    XX(NET_TOO_LARGE,         "net.too_large",         E_METADATA, "check that this is the right repository") \
    XX(NET_BAD_ANSWER,        "net.bad_answer",        E_METADATA, "check that HF_ENDPOINT is a hub")  \
    XX(NET_BAD_FILE,          "net.bad_file",          E_METADATA, "check the file on the model's page") \
    XX(NET_OFFLINE,           "net.offline",           E_IO, "fetch it once without --offline and HF_HUB_OFFLINE") \
    XX(NET_NO_CACHE,          "net.no_cache_folder",   E_IO, "set KVCAP_CACHE to a folder, or HOME")  \
    XX(NET_BAD_MANIFEST,      "net.bad_manifest",      E_IO, "fetch the model again, or remove the cache's folder of it") \
    XX(NET_NO_PROGRAM,        "net.no_program",        E_IO, "install kvcap-net beside kvcap")        \
    XX(NET_PROGRAM,           "net.program",           E_IO, "run kvcap-net fetch by hand to see why") \
    /* numbers, memory, files */                                                                      \
    XX(RANGE_OVERFLOW,        "range.overflow",        E_RANGE, "use smaller numbers")                \
    XX(MEMORY_FULL,           "memory.full",           E_NOMEM, "free memory, or give a smaller input") \
    XX(FILE_OPEN,             "file.open",             E_IO, "check the path and its permissions")    \
    XX(FILE_READ,             "file.read",             E_IO, "check the file and the disk")           \
    XX(FILE_WRITE,            "file.write",            E_IO, "check the folder and the disk")         \
    XX(FILE_NOT_REGULAR,      "file.not_regular",      E_IO, "give a regular file")                   \
    XX(FILE_CHANGED,          "file.changed",          E_IO, "let the file rest while it is read")
/* clang-format on */

#endif /* KVC_BASE_SLUG_H */
