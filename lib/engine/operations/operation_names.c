/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the classes of methods and of the types of parameters. Clients see them in the reply to `describe`, so they
 * do not change. */
#include "engine/operations/operations.h"

const char *method_class_name(enum method_class class)
{
	static const char *const names[] = {
		[METHOD_SESSION] = "session",     [METHOD_SERVICE] = "service",         [METHOD_STREAM] = "stream",
		[METHOD_PROGRAM] = "program",     [METHOD_DRAW] = "draw",               [METHOD_POINTS] = "points",
		[METHOD_TRANSFORM] = "transform", [METHOD_ELEMENTWISE] = "elementwise", [METHOD_SIGNAL] = "signal",
	};

	return names[class];
}

const char *param_type_name(enum param_type type)
{
	static const char *const names[] = {
		[PARAM_U64] = "u64",       [PARAM_INT] = "int",     [PARAM_F64] = "f64",   [PARAM_BOOL] = "bool",
		[PARAM_CHOICE] = "choice", [PARAM_SHAPE] = "shape", [PARAM_AXES] = "axes", [PARAM_TILE] = "tile",
		[PARAM_TEXT] = "text",     [PARAM_ANY] = "any",
	};

	return names[type];
}
