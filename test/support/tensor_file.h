/* tensor_file.h - safetensors files without their data.
 *
 * In:     the JSON of a header, and how many bytes of data follow it.
 * Out:    the head as bytes, and how long the file would be.
 */
#ifndef KVC_TEST_TENSOR_FILE_H
#define KVC_TEST_TENSOR_FILE_H

#include <stdint.h>

#include "base/span.h"

struct tensor_file {
    struct kvc_span head; /* N and the header; free the text */
    uint64_t file_bytes;
};

struct tensor_file tensor_file(const char *json, uint64_t data_bytes);

#endif /* KVC_TEST_TENSOR_FILE_H */
