/* SPDX-License-Identifier: Apache-2.0 */
/* Includes BODY, which the includer defines, for float and for double: REAL is the type, and NAME(verb) appends _f32 or
 * _f64. */
#define REAL       float
#define NAME(verb) verb##_f32
#include BODY
#undef REAL
#undef NAME
#define REAL       double
#define NAME(verb) verb##_f64
#include BODY
#undef REAL
#undef NAME
#undef BODY
