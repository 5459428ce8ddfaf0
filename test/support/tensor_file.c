/* tensor_file.c - see tensor_file.h. */

#include "support/tensor_file.h"

#include <stdlib.h>
#include <string.h>

struct tensor_file tensor_file(const char *json, uint64_t data_bytes)
{
    size_t length = strlen(json);
    char *bytes = malloc(8 + length);
    if (bytes == NULL)
        abort();
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (char)((uint64_t)length >> 8 * i & 0xFF);
    memcpy(bytes + 8, json, length);
    return (struct tensor_file){ .head = { bytes, 8 + length },
                                 .file_bytes = 8 + length + data_bytes };
}
