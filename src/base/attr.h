/* attr.h - the compiler's attributes and its widest integer by plain names, and nothing else.
 *
 * Room:   base/ - pure, header only.
 * Knows:  nothing.
 */
#ifndef KVC_BASE_ATTR_H
#define KVC_BASE_ATTR_H

#define KVC_MUST_USE __attribute__((warn_unused_result))
#define KVC_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define KVC_CLEANUP(with) __attribute__((cleanup(with)))

/* 128 bits, for products that are divided again at once. */
__extension__ typedef unsigned __int128 kvc_u128;

#endif /* KVC_BASE_ATTR_H */
