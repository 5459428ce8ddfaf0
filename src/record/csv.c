/* csv.c - see csv.h for the room and its promises. */

#include "record/csv.h"

#include <inttypes.h>
#include <string.h>

#include "json/scan.h"

enum field {
    REQUEST_ID,
    COHORT,
    TENANT,
    PROMPT_TOKENS,
    MAX_OUTPUT_TOKENS,
    SEQUENCES,
    PREFIX_ID,
    PREFIX_TOKENS,
    FIELD_COUNT,
};

static const struct {
    const char *name;
    bool is_text;
    uint64_t least;
} FIELDS[FIELD_COUNT] = {
    [REQUEST_ID] = { "request_id", true, 0 },
    [COHORT] = { "cohort", true, 0 },
    [TENANT] = { "tenant", true, 0 },
    [PROMPT_TOKENS] = { "prompt_tokens", false, 1 },
    [MAX_OUTPUT_TOKENS] = { "max_output_tokens", false, 0 },
    [SEQUENCES] = { "sequences", false, 1 },
    [PREFIX_ID] = { "prefix_id", true, 0 },
    [PREFIX_TOKENS] = { "prefix_tokens", false, 1 },
};

kvcap_code kvc_csv_begin(struct kvc_csv *csv, const struct kvc_memory *memory,
                         kvcap_code (*take)(void *context, const struct kvc_request *request,
                                            uint64_t n, kvcap_error *err),
                         void *context, kvcap_error *err)
{
    *csv = (struct kvc_csv){ .take = take, .context = context, .line = 1, .memory = memory };
    csv->row = memory->get(memory->context, KVC_CSV_ROW_BYTES_MAX);
    if (csv->row == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "reading the table needs more memory");
    return KVCAP_OK;
}

void kvc_csv_drop(struct kvc_csv *csv)
{
    if (csv->row != NULL)
        csv->memory->put(csv->memory->context, csv->row, KVC_CSV_ROW_BYTES_MAX);
    csv->row = NULL;
}

static kvcap_code refuse(const struct kvc_csv *csv, enum kvc_slug slug, const char *column,
                         const char *what, kvcap_error *err)
{
    kvcap_code rc = kvc_fail(err, slug, column, "%s", what);
    kvc_fail_add(err, " (line %" PRIu64 ")", csv->line);
    return rc;
}

static struct kvc_span cell(const struct kvc_csv *csv, unsigned i)
{
    size_t begin = i == 0 ? 0 : csv->ends[i - 1];
    return (struct kvc_span){ .text = csv->row + begin, .length = csv->ends[i] - begin };
}

/* ---- Rows. */

/* Spreadsheets put a byte order mark before the first name. */
static struct kvc_span without_mark(struct kvc_span name)
{
    bool marked = kvc_span_starts(name, "\xEF\xBB\xBF");
    return marked ? (struct kvc_span){ name.text + 3, name.length - 3 } : name;
}

static kvcap_code take_header(struct kvc_csv *csv, kvcap_error *err)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < csv->cells; i++) {
        struct kvc_span name = i == 0 ? without_mark(cell(csv, i)) : cell(csv, i);
        unsigned field = 0;
        while (field < FIELD_COUNT && !kvc_span_is(name, FIELDS[field].name))
            field++;
        if (field == FIELD_COUNT) {
            kvcap_code rc =
                refuse(csv, KVC_CSV_HEADER, "", "a column is none of a request's fields", err);
            kvc_fail_add(err, ": \"%.*s\"", (int)(name.length < 60 ? name.length : 60), name.text);
            return rc;
        }
        if ((seen & 1u << field) != 0)
            return refuse(csv, KVC_CSV_HEADER, FIELDS[field].name, "the column stands twice", err);
        seen |= 1u << field;
        csv->columns[i] = field;
    }
    for (unsigned field = 0; field < PREFIX_ID; field++) {
        if ((seen & 1u << field) == 0)
            return refuse(csv, KVC_CSV_HEADER, FIELDS[field].name, "the column is missing", err);
    }
    bool has_id = (seen & 1u << PREFIX_ID) != 0;
    if (has_id != ((seen & 1u << PREFIX_TOKENS) != 0))
        return refuse(csv, KVC_CSV_HEADER, has_id ? "prefix_tokens" : "prefix_id",
                      "the two columns of a prefix stand together", err);
    csv->columns_count = csv->cells;
    return KVCAP_OK;
}

static kvcap_code take_cells(struct kvc_csv *csv, struct kvc_span texts[FIELD_COUNT],
                             uint64_t numbers[FIELD_COUNT], kvcap_error *err)
{
    for (unsigned i = 0; i < csv->cells; i++) {
        unsigned field = csv->columns[i];
        struct kvc_span value = cell(csv, i);
        bool may_be_empty = field == PREFIX_ID || field == PREFIX_TOKENS;
        texts[field] = value;
        if (may_be_empty && value.length == 0)
            continue;
        if (FIELDS[field].is_text && !kvc_span_is_utf8(value, NULL))
            return refuse(csv, KVC_RECORD_BAD_UTF8, FIELDS[field].name, "the text is not UTF-8",
                          err);
        if (FIELDS[field].is_text && !kvc_is_name(value, KVC_NAME_BYTES_MAX))
            return refuse(csv, KVC_RECORD_BAD_NAME, FIELDS[field].name,
                          "the text is not 1 to 256 bytes without control characters", err);
        if (!FIELDS[field].is_text &&
            (!kvc_span_u64(value, &numbers[field]) || numbers[field] < FIELDS[field].least ||
             numbers[field] > KVC_SAFE_MAX))
            return refuse(csv, KVC_CSV_BAD_VALUE, FIELDS[field].name,
                          "the cell is not a whole number within bounds", err);
    }
    return KVCAP_OK;
}

static kvcap_code take_row(struct kvc_csv *csv, kvcap_error *err)
{
    struct kvc_span texts[FIELD_COUNT] = { 0 };
    uint64_t numbers[FIELD_COUNT] = { 0 };
    if (csv->cells != csv->columns_count)
        return refuse(csv, KVC_CSV_SYNTAX, "",
                      "the row has another number of cells than the header", err);
    kvcap_code rc = take_cells(csv, texts, numbers, err);
    if (rc != KVCAP_OK)
        return rc;
    bool has_id = texts[PREFIX_ID].length > 0, has_tokens = texts[PREFIX_TOKENS].length > 0;
    if (has_id != has_tokens || numbers[PREFIX_TOKENS] > numbers[PROMPT_TOKENS])
        return refuse(csv, KVC_EVIDENCE_PREFIX, has_id ? "prefix_tokens" : "prefix_id",
                      "a prefix has id and tokens, at most the prompt's", err);
    struct kvc_request request = { .request_id = texts[REQUEST_ID],
                                   .cohort = texts[COHORT],
                                   .tenant = texts[TENANT],
                                   .prompt_tokens = numbers[PROMPT_TOKENS],
                                   .max_output_tokens = numbers[MAX_OUTPUT_TOKENS],
                                   .sequences = numbers[SEQUENCES],
                                   .prefix_tokens = numbers[PREFIX_TOKENS] };
    if (has_id)
        request.prefix_id = texts[PREFIX_ID];
    rc = csv->take(csv->context, &request, csv->rows++, err);
    if (rc != KVCAP_OK)
        kvc_fail_add(err, " (line %" PRIu64 ")", csv->line);
    return rc;
}

/* ---- Characters. */

static kvcap_code end_cell(struct kvc_csv *csv, kvcap_error *err)
{
    if (csv->cells == KVC_CSV_COLUMNS_MAX)
        return refuse(csv, KVC_CSV_SYNTAX, "", "the row has more than eight cells", err);
    csv->ends[csv->cells++] = csv->row_bytes;
    csv->cell_was_quoted = csv->quote_before = false;
    return KVCAP_OK;
}

static kvcap_code end_row(struct kvc_csv *csv, kvcap_error *err)
{
    kvcap_code rc = KVCAP_OK;
    bool blank = csv->cells == 0 && csv->row_bytes == 0 && !csv->cell_was_quoted;
    if (!blank) {
        rc = end_cell(csv, err);
        if (rc == KVCAP_OK)
            rc = csv->columns_count == 0 ? take_header(csv, err) : take_row(csv, err);
    }
    csv->cells = 0;
    csv->row_bytes = 0;
    csv->row_began = csv->cell_was_quoted = csv->quote_before = false;
    csv->line++;
    return rc;
}

static kvcap_code put(struct kvc_csv *csv, char c, kvcap_error *err)
{
    if (csv->row_bytes == KVC_CSV_ROW_BYTES_MAX)
        return refuse(csv, KVC_EVIDENCE_LINE_TOO_LONG, "", "the row is longer than 64 KiB", err);
    csv->row[csv->row_bytes++] = c;
    return KVCAP_OK;
}

static bool at_cell_begin(const struct kvc_csv *csv)
{
    size_t begin = csv->cells == 0 ? 0 : csv->ends[csv->cells - 1];
    return csv->row_bytes == begin && !csv->cell_was_quoted;
}

/* Within quotes a quote ends them, unless another follows: then it stands for itself. */
static kvcap_code take_quoted(struct kvc_csv *csv, char c, kvcap_error *err)
{
    if (c == '"') {
        csv->in_quotes = false;
        csv->quote_before = true;
        return KVCAP_OK;
    }
    if (c == '\n')
        return refuse(csv, KVC_CSV_SYNTAX, "", "a line ends within quotes", err);
    return put(csv, c, err);
}

static kvcap_code take_char(struct kvc_csv *csv, char c, kvcap_error *err)
{
    csv->row_began = true;
    if (csv->in_quotes)
        return take_quoted(csv, c, err);
    /* A carriage return is half of a line end, and nothing else. */
    if (csv->carriage && c != '\n')
        return refuse(csv, KVC_CSV_SYNTAX, "", "a carriage return stands within a row", err);
    csv->carriage = c == '\r';
    if (c == '\r')
        return KVCAP_OK;
    if (c == ',')
        return end_cell(csv, err);
    if (c == '\n')
        return end_row(csv, err);
    if (c == '"' && csv->quote_before) {
        csv->in_quotes = true;
        csv->quote_before = false;
        return put(csv, '"', err);
    }
    if (c == '"' && at_cell_begin(csv)) {
        csv->in_quotes = csv->cell_was_quoted = true;
        return KVCAP_OK;
    }
    if (c == '"')
        return refuse(csv, KVC_CSV_SYNTAX, "", "a quote stands within a plain cell", err);
    if (csv->cell_was_quoted)
        return refuse(csv, KVC_CSV_SYNTAX, "", "text follows a quoted cell", err);
    return put(csv, c, err);
}

kvcap_code kvc_csv_feed(struct kvc_csv *csv, const char *bytes, size_t length, kvcap_error *err)
{
    for (size_t i = 0; i < length; i++) {
        kvcap_code rc = take_char(csv, bytes[i], err);
        if (rc != KVCAP_OK)
            return rc;
    }
    return KVCAP_OK;
}

kvcap_code kvc_csv_end(struct kvc_csv *csv, kvcap_error *err)
{
    if (csv->in_quotes)
        return refuse(csv, KVC_CSV_SYNTAX, "", "the table ends within quotes", err);
    kvcap_code rc = csv->row_began ? end_row(csv, err) : KVCAP_OK;
    if (rc == KVCAP_OK && csv->columns_count == 0)
        return kvc_fail(err, KVC_CSV_HEADER, "", "the table has no header line");
    return rc;
}
