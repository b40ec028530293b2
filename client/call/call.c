/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as objects: parameters, references, and the answer they keep.
 *
 * A call is freed outside the session's lock where that is possible (call_unref): to free a reply may take long, and may
 * call the engine. */
#include "call.h"

#include <stdlib.h>
#include <string.h>

#include "engine/request.h"
#include "session/public_error.h"

void call_drop_reply(struct trnsci_call *call)
{
	call->answer.reply = NULL;
	bump_free(call->answer.bump);
	call->answer.bump = NULL;
	if (call->answer.request)
		request_free(call->answer.request);
	call->answer.request = NULL;
	call->ran_inline = false;
	fdpass_close(&call->answer.fds);
}

void call_discard(struct trnsci_call *call)
{
	call_drop_reply(call);
	changes_drop(&call->changes);
	args_free(&call->args);
	free(call->method);
	free(call);
}

int call_new(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call)
{
	struct trnsci_call *call = calloc(1, sizeof *call);

	if (!call)
		return -ERROR_NO_MEMORY;
	call->session = session;
	atomic_init(&call->refs, 1);
	call->method = strdup(method);
	call->params = &call->args.root;
	if (!call->method || args_init(&call->args, session) < 0) {
		call_discard(call);
		return -ERROR_NO_MEMORY;
	}
	session_ref(session);
	*ret_call = call;
	return 0;
}

int call_make(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call, struct error *err)
{
	int r = session_check(session, err);

	if (r < 0)
		return r;
	if (!method)
		return error_set(err, ERROR_MISSING_PARAMETER, "call: method: missing");
	r = call_new(session, method, ret_call);
	return r < 0 ? error_set(err, (enum error_code) - r, "%s: no call could be made", method) : 0;
}

int call_make_named(struct trnsci_session *session, const char *method, const char *name, struct trnsci_call **ret_call,
		    struct error *err)
{
	int r = session_check(session, err);

	if (r == 0 && !name)
		r = error_set(err, ERROR_MISSING_PARAMETER, "%s: name: missing", method);
	if (r == 0)
		r = call_make(session, method, ret_call, err);
	if (r == 0)
		args_set_text(trnsci_call_args(*ret_call), "name", name);
	return r;
}

void call_ref(struct trnsci_call *call)
{
	atomic_fetch_add_explicit(&call->refs, 1, memory_order_relaxed);
}

bool call_drop_ref(struct trnsci_call *call)
{
	return atomic_fetch_sub_explicit(&call->refs, 1, memory_order_acq_rel) == 1;
}

void call_unref(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;

	if (!call_drop_ref(call))
		return;
	call_discard(call);
	session_unref(session);
}

void call_unref_locked(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;

	if (!call_drop_ref(call))
		return;
	call_discard(call);
	session_unref_locked(session);
}

int call_set_error(struct trnsci_call *call, const struct error *error)
{
	return error_export(&call->answer.error, error);
}

enum method_effect call_effect(const struct trnsci_call *call)
{
	const struct operation *operation = operation_find(call->method, strlen(call->method));

	if (operation && operation->class == METHOD_PROGRAM && args_mention(&call->args.map, "stream_name"))
		return EFFECT_LASTING;
	return operation ? operation->effect : EFFECT_LASTING;
}

int call_reply_u64(const struct trnsci_call *call, const char *name, uint64_t *ret, struct error *err)
{
	if (trnsci_value_to_u64(trnsci_value_get(trnsci_call_reply(call), name), ret) < 0)
		return error_set(err, ERROR_BAD_REPLY, "%s: the reply has no number %s", call->method, name);
	return 0;
}

/* ---- the public interface ---- */

struct trnsci_args *trnsci_call_args(struct trnsci_call *call)
{
	return call ? call->params : NULL;
}

struct trnsci_args *trnsci_program_step(struct trnsci_call *program, const char *operation)
{
	struct trnsci_args *step = program ? trnsci_set_map(args_list(program->params, "steps"), NULL) : NULL;

	args_set_text(step, "op", operation);
	return step;
}

void trnsci_program_result(struct trnsci_call *program, const char *name)
{
	if (program)
		args_set_text(args_list(program->params, "results"), NULL, name);
}

const struct trnsci_error *trnsci_call_error(const struct trnsci_call *call)
{
	return call ? &call->answer.error : NULL;
}

const struct trnsci_value *trnsci_call_reply(const struct trnsci_call *call)
{
	return call ? (const struct trnsci_value *)(const void *)call->answer.reply : NULL;
}
