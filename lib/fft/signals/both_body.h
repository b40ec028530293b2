/* SPDX-License-Identifier: Apache-2.0 */
/* BODY twice: REAL is float and then double, and NAME(verb) ends in its precision. The includer has defined BODY. */
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
