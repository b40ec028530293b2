/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file trnsci.hpp
 * @brief trnsci.h for C++17: objects that free themselves, containers, exceptions or error codes, an engine for <random>.
 *
 * Header only, over trnsci.h alone: link with libtrnsci (pkg-config trnsci). Every object has get(), which gives the C
 * object for what is not here: rings, broadcasts, event loops.
 *
 * A function that can fail takes a `report` as its last argument. Without one it throws trnsci::error. With a trnsci_error or
 * a std::error_code there it throws nothing of its own (std::bad_alloc aside), sets that to the error or to none, and
 * returns an empty object, which is false.
 *
 * Threads: as in trnsci.h. An object must not outlive the session that it was made by. */
#ifndef TRNSCI_TRNSCI_HPP
#define TRNSCI_TRNSCI_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#if __cplusplus >= 202002L
#include <ranges>
#endif

#include <trnsci/trnsci.h>

namespace trnsci {

/* ---- Errors ---- */

namespace detail {

struct error_category final : std::error_category {
	const char *name() const noexcept override { return "trnsci"; }
	std::string message(int code) const override { return trnsci_strerror(code); }
};

inline trnsci_error error_of(int code)
{
	trnsci_error made = {code < 0 ? -code : code, {}};

	std::snprintf(made.text, sizeof made.text, "%s: %s", trnsci_error_name(code), trnsci_strerror(code));
	return made;
}

} // namespace detail

/** The category of error codes: their values are those of trnsci_error_code. */
inline const std::error_category &category() noexcept
{
	static const detail::error_category the_one;

	return the_one;
}

/** What is thrown. what() is the text "name: subject: what was wrong, what is allowed". */
class error : public std::system_error {
public:
	explicit error(const trnsci_error &of) : std::system_error(of.code, category()), error_(of) {}

	const char *what() const noexcept override { return error_.text; }
	/** The stable name, "out_of_range". */
	const char *name() const noexcept { return trnsci_error_name(error_.code); }
	/** Whether the same request may succeed later. */
	bool is_transient() const noexcept { return trnsci_error_is_transient(error_.code); }

private:
	trnsci_error error_;
};

/** Where a function reports how it ended: by an exception (the default), or into what it is made of. */
class report {
public:
	report() = default;
	report(trnsci_error &to) : error_(&to) {}
	report(std::error_code &to) : code_(&to) {}

	/** Reports a result of the C interface; returns whether it is a success. */
	bool operator()(int result, const trnsci_error &of) const
	{
		if (error_)
			*error_ = result < 0 ? of : trnsci_error{};
		if (code_)
			*code_ = result < 0 ? std::error_code(of.code, category()) : std::error_code();
		if (result < 0 && !error_ && !code_)
			throw error(of);
		return result >= 0;
	}
	/** The same of a function that gives no text. */
	bool operator()(int result) const { return (*this)(result, result < 0 ? detail::error_of(result) : trnsci_error{}); }

private:
	trnsci_error *error_ = nullptr;
	std::error_code *code_ = nullptr;
};

/* ---- Arrays ---- */

/** The dtype of a C++ type: dtype_v<float> is TRNSCI_F32. */
template <class T> struct dtype_of;
template <> struct dtype_of<std::int8_t> : std::integral_constant<trnsci_dtype, TRNSCI_I8> {};
template <> struct dtype_of<std::int32_t> : std::integral_constant<trnsci_dtype, TRNSCI_I32> {};
template <> struct dtype_of<std::int64_t> : std::integral_constant<trnsci_dtype, TRNSCI_I64> {};
template <> struct dtype_of<std::uint32_t> : std::integral_constant<trnsci_dtype, TRNSCI_U32> {};
template <> struct dtype_of<std::uint64_t> : std::integral_constant<trnsci_dtype, TRNSCI_U64> {};
template <> struct dtype_of<float> : std::integral_constant<trnsci_dtype, TRNSCI_F32> {};
template <> struct dtype_of<double> : std::integral_constant<trnsci_dtype, TRNSCI_F64> {};
template <> struct dtype_of<std::complex<float>> : std::integral_constant<trnsci_dtype, TRNSCI_C64> {};
template <> struct dtype_of<std::complex<double>> : std::integral_constant<trnsci_dtype, TRNSCI_C128> {};
template <class T> inline constexpr trnsci_dtype dtype_v = dtype_of<std::remove_cv_t<T>>::value;

/** Elements in a row that something else owns: std::span of C++20, into which it converts. */
template <class T> class view {
public:
	using element_type = T;
	using value_type = std::remove_cv_t<T>;
	using iterator = T *;

	constexpr view() noexcept = default;
	constexpr view(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
	template <std::size_t N> constexpr view(T (&array)[N]) noexcept : data_(array), size_(N) {}
	/** Of a vector, an array, a tile, a span, another view. */
	template <class C, class = std::enable_if_t<std::is_convertible_v<
				   std::remove_pointer_t<decltype(std::data(std::declval<C &>()))> (*)[], T (*)[]>>>
	constexpr view(C &&container) noexcept : data_(std::data(container)), size_(std::size(container))
	{
	}

	constexpr T *data() const noexcept { return data_; }
	constexpr std::size_t size() const noexcept { return size_; }
	constexpr bool empty() const noexcept { return size_ == 0; }
	constexpr T &operator[](std::size_t i) const { return data_[i]; }
	constexpr T *begin() const noexcept { return data_; }
	constexpr T *end() const noexcept { return data_ + size_; }
	constexpr view subview(std::size_t first, std::size_t count) const { return view(data_ + first, count); }

private:
	T *data_ = nullptr;
	std::size_t size_ = 0;
};

template <class C> view(C &&) -> view<std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>>;

/** Lengths of axes: {rows, columns}, or one number. */
class shape {
public:
	shape(std::initializer_list<std::uint64_t> lengths) : ndim_(lengths.size())
	{
		std::size_t i = 0;

		for (std::uint64_t length : lengths)
			if (i < at_.size())
				at_[i++] = length;
	}
	template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
	shape(I length) : at_{static_cast<std::uint64_t>(length)}, ndim_(1)
	{
	}

	const std::uint64_t *data() const noexcept { return at_.data(); }
	std::size_t ndim() const noexcept { return ndim_; }

private:
	std::array<std::uint64_t, TRNSCI_MAX_DIMS> at_ = {};
	std::size_t ndim_;
};

/** An array of the caller's, with a shape. */
template <class C> trnsci_array array_of(const C &container, const shape &lengths)
{
	const view<const std::remove_pointer_t<decltype(std::data(container))>> elements(container);

	return trnsci_array_of(dtype_v<typename decltype(elements)::value_type>, lengths.ndim(), lengths.data(), elements.data());
}
/** One of one dimension. */
template <class C> trnsci_array array_of(const C &container)
{
	return array_of(container, shape(std::size(container)));
}

/* ---- Parameters ---- */

template <class T> class tile;

namespace detail {

template <class T> inline constexpr bool is_tile = false;
template <class T> inline constexpr bool is_tile<tile<T>> = true;

} // namespace detail

/** A parameter of an operation: {"std", 2.0}. What it points to is read before the function that takes it returns. */
class param {
public:
	template <class T> param(const char *name, const T &value) : of_(make(name, value)) {}
	param(const trnsci_param &of) : of_(of) {}

	const trnsci_param &get() const noexcept { return of_; }

private:
	template <class T> static trnsci_param make(const char *name, const T &value)
	{
		if constexpr (std::is_same_v<T, bool>)
			return trnsci_param_bool(name, value);
		else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
			return trnsci_param_i64(name, value);
		else if constexpr (std::is_integral_v<T>)
			return trnsci_param_u64(name, value);
		else if constexpr (std::is_floating_point_v<T>)
			return trnsci_param_f64(name, static_cast<double>(value));
		else if constexpr (std::is_same_v<T, std::string>)
			return trnsci_param_text(name, value.c_str());
		else if constexpr (std::is_convertible_v<const T &, const char *>)
			return trnsci_param_text(name, value);
		else if constexpr (std::is_same_v<T, trnsci_dtype>)
			return trnsci_param_text(name, trnsci_dtype_name(value));
		else if constexpr (std::is_same_v<T, trnsci_array>)
			return trnsci_param_array(name, &value);
		else if constexpr (std::is_same_v<T, shape>)
			return trnsci_param_u64s(name, value.data(), value.ndim());
		else
			return make_row(name, value);
	}
	template <class T> static trnsci_param make_row(const char *name, const tile<T> &value)
	{
		return trnsci_param_tile(name, value.get());
	}
	template <class C> static auto make_row(const char *name, const C &row) -> decltype(std::data(row), trnsci_param())
	{
		using T = std::remove_const_t<std::remove_pointer_t<decltype(std::data(row))>>;

		static_assert(std::is_same_v<T, double> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>,
			      "a row of numbers is of double, int64_t or uint64_t");
		if constexpr (std::is_same_v<T, double>)
			return trnsci_param_f64s(name, std::data(row), std::size(row));
		else if constexpr (std::is_same_v<T, std::int64_t>)
			return trnsci_param_i64s(name, std::data(row), std::size(row));
		else
			return trnsci_param_u64s(name, std::data(row), std::size(row));
	}

	trnsci_param of_;
};

/** Parameters: {{"mean", 1.0}, {"std", 2.0}}. */
class params {
public:
	params() : params(std::initializer_list<param>{}) {}
	params(std::initializer_list<param> list)
	{
		at_.reserve(list.size() + 2);
		for (const param &one : list)
			at_.push_back(one.get());
		at_.push_back(trnsci_param_end());
	}

	params &add(const param &one)
	{
		at_.back() = one.get();
		at_.push_back(trnsci_param_end());
		return *this;
	}
	const trnsci_param *data() const noexcept { return at_.data(); }

private:
	std::vector<trnsci_param> at_;
};

/** Where samples come from: source from = seed(1); from.stream = 2. */
using source = ::trnsci_source;
/** Where a draw lay. */
using span = ::trnsci_span;

inline source seed(std::uint64_t number)
{
	return trnsci_source_seed(number);
}
/** The name must live as long as the source. */
inline source named(const char *name)
{
	return trnsci_source_named(name);
}

/* ---- Values of a reply ---- */

/** One value of a reply; belongs to its call. Every function accepts an empty one. */
class value {
public:
	value(const trnsci_value *of = nullptr) : of_(of) {}

	const trnsci_value *get() const noexcept { return of_; }
	explicit operator bool() const noexcept { return of_ != nullptr; }
	std::size_t size() const noexcept { return trnsci_value_count(of_); }
	/** A member of a map, and an element of a list; empty where there is none. */
	value operator[](const char *name) const noexcept { return trnsci_value_get(of_, name); }
	value at(std::size_t index) const noexcept { return trnsci_value_at(of_, index); }

	/** A number, a bool, or a std::string of text or bytes. */
	template <class T> T as(report to = {}) const
	{
		if constexpr (std::is_same_v<T, std::string>) {
			std::size_t bytes = 0;
			const void *text = trnsci_value_to_bytes(of_, &bytes);

			to(text ? 0 : -TRNSCI_WRONG_TYPE);
			return text ? T(static_cast<const char *>(text), bytes) : T();
		} else {
			return number<T>(to);
		}
	}
	/** The elements of an array, as they are: T must be its dtype. */
	template <class T> std::vector<T> elements(report to = {}) const
	{
		trnsci_array array = {};
		int r = trnsci_value_to_array(of_, &array);

		if (!to(r < 0 ? r : array.dtype == dtype_v<T> ? 0 : -TRNSCI_WRONG_TYPE))
			return {};
		std::vector<T> made(static_cast<std::size_t>(array.count));
		const char *from = static_cast<const char *>(array.data);

		std::copy(from, from + array.bytes, reinterpret_cast<char *>(made.data()));
		return made;
	}

private:
	template <class T> T number(report to) const
	{
		if constexpr (std::is_same_v<T, bool>)
			return read<bool>(trnsci_value_to_bool, to);
		else if constexpr (std::is_floating_point_v<T>)
			return static_cast<T>(read<double>(trnsci_value_to_f64, to));
		else if constexpr (std::is_signed_v<T>)
			return narrow<T>(read<std::int64_t>(trnsci_value_to_i64, to), to);
		else
			return narrow<T>(read<std::uint64_t>(trnsci_value_to_u64, to), to);
	}
	template <class T> T read(int (*function)(const trnsci_value *, T *), report to) const
	{
		T number = {};

		to(function(of_, &number));
		return number;
	}
	template <class T, class Wide> static T narrow(Wide wide, report to)
	{
		const T number = static_cast<T>(wide);

		if (static_cast<Wide>(number) == wide)
			return number;
		to(-TRNSCI_OUT_OF_RANGE);
		return T();
	}

	const trnsci_value *of_;
};

/* ---- Tiles ---- */

/** An array that engine and program both see. It is a container of its elements. */
template <class T> class tile {
public:
	using value_type = T;

	tile() = default;
	/** Takes a tile of the C interface, which must be of this dtype. */
	explicit tile(trnsci_tile *of) : of_(of) {}

	trnsci_tile *get() const noexcept { return of_.get(); }
	trnsci_tile *release() noexcept { return of_.release(); }
	explicit operator bool() const noexcept { return of_ != nullptr; }
	trnsci_tile_info info() const
	{
		trnsci_tile_info info = {};

		trnsci_tile_describe(of_.get(), &info);
		return info;
	}

	T *data() const noexcept { return of_ ? static_cast<T *>(trnsci_tile_data(of_.get())) : nullptr; }
	std::size_t size() const { return static_cast<std::size_t>(info().count); }
	T *begin() const noexcept { return data(); }
	T *end() const { return data() + size(); }
	T &operator[](std::size_t i) const { return data()[i]; }

private:
	struct free_tile {
		void operator()(trnsci_tile *of) const noexcept { trnsci_tile_free(of); }
	};
	std::unique_ptr<trnsci_tile, free_tile> of_;
};

/* ---- Sessions ---- */

/** A connection to the daemon, or an engine inside the process. */
class session {
public:
	/** At an address, "embedded:", or nullptr for the daemon that trnsci-cli would use. */
	explicit session(const char *address = nullptr, const trnsci_options &options = {}, report to = {})
	{
		trnsci_session *made = nullptr;
		trnsci_error err = {};
		const int r = trnsci_open(address, &options, &made, &err);

		of_.reset(made);
		to(r, err);
	}

	trnsci_session *get() const noexcept { return of_.get(); }
	explicit operator bool() const noexcept { return of_ != nullptr; }
	trnsci_session_info info(report to = {}) const
	{
		trnsci_session_info info = {};

		to(trnsci_session_describe(of_.get(), &info));
		return info;
	}

	/** Draws samples of a distribution into a container of yours: draw("normal", samples, {{"std", 2.0}}, seed(1)). */
	template <class C, class = std::enable_if_t<!detail::is_tile<std::decay_t<C>>>>
	span draw(const char *distribution, C &&out, const params &with = {}, const source &from = {}, report to = {}) const
	{
		const view elements(out);
		using T = typename decltype(elements)::element_type;
		span where = {};
		trnsci_error err = {};

		static_assert(!std::is_const_v<T>, "samples are written to the container");
		to(trnsci_draw_array(of_.get(), distribution, with.data(), &from, dtype_v<T>, elements.size(), elements.data(), &where,
			       &err),
		   err);
		return where;
	}
	/** Returns n samples of a distribution in a vector. */
	template <class T>
	std::vector<T> samples(const char *distribution, std::size_t n, const params &with = {}, const source &from = {},
			       report to = {}) const
	{
		std::vector<T> made(n);

		draw(distribution, made, with, from, to);
		return made;
	}

	/** Applies an operation to an array, into another: apply("dct", in, out). */
	template <class In, class Out>
	bool apply(const char *operation, const In &in, Out &&out, const params &with = {}, report to = {}) const
	{
		trnsci_error err = {};

		return to(trnsci_apply_array(of_.get(), operation, with.data(), as_array(in), as_array(out), &err), err);
	}
	/** The transform of complex numbers. */
	template <class T>
	std::vector<std::complex<T>> fft(const std::vector<std::complex<T>> &in, const params &with = {}, report to = {}) const
	{
		std::vector<std::complex<T>> made(in.size());

		apply("fft", in, made, with, to);
		return made;
	}
	/** And back. */
	template <class T>
	std::vector<std::complex<T>> ifft(const std::vector<std::complex<T>> &in, params with = {}, report to = {}) const
	{
		return fft(in, with.add({"inverse", true}), to);
	}
	/** Half the spectrum of n reals: n / 2 + 1 numbers. */
	template <class T>
	std::vector<std::complex<T>> rfft(const std::vector<T> &in, params with = {}, report to = {}) const
	{
		std::vector<std::complex<T>> made(in.size() / 2 + 1);

		apply("fft", in, made, with.add({"real", true}), to);
		return made;
	}
	/** Back to n reals. */
	template <class T>
	std::vector<T> irfft(const std::vector<std::complex<T>> &in, std::size_t n, params with = {}, report to = {}) const
	{
		std::vector<T> made(n);

		with.add({"real", true}).add({"inverse", true}).add({"length", n});
		apply("fft", in, made, with, to);
		return made;
	}

	/** A tile; its content is undefined. */
	template <class T> trnsci::tile<T> new_tile(const shape &lengths, report to = {}) const
	{
		trnsci_tile *made = nullptr;
		trnsci_error err = {};
		const int r = trnsci_tile_new(of_.get(), dtype_v<T>, lengths.ndim(), lengths.data(), &made, &err);

		to(r, err);
		return trnsci::tile<T>(made);
	}
	/** Draws samples into a tile. */
	template <class T>
	span draw(const char *distribution, const trnsci::tile<T> &out, const params &with = {}, const source &from = {},
		  report to = {}) const
	{
		trnsci_tile *at = out.get();
		span where = {};
		trnsci_error err = at ? trnsci_error{} : detail::error_of(TRNSCI_BAD_TILE);

		to(at ? trnsci_draw_tile(of_.get(), distribution, with.data(), &from, &at, &where, &err) : -TRNSCI_BAD_TILE, err);
		return where;
	}
	/** Applies any operation to tiles and arrays among the parameters; the result is a new tile of its own shape.
	 * -TRNSCI_WRONG_TYPE: the result's dtype is not T. */
	template <class T> trnsci::tile<T> apply(const char *operation, const params &with, report to = {}) const
	{
		trnsci_tile *made = nullptr;
		trnsci_error err = {};
		int r = trnsci_apply_tile(of_.get(), operation, with.data(), &made, &err);
		trnsci::tile<T> result(made);

		if (r >= 0 && result.info().dtype != dtype_v<T>) {
			r = -TRNSCI_WRONG_TYPE;
			err = detail::error_of(r);
		}
		return to(r, err) ? std::move(result) : trnsci::tile<T>();
	}

private:
	static trnsci_array as_array(const trnsci_array &array) { return array; }
	template <class C> static trnsci_array as_array(const C &container) { return array_of(container); }

	struct close_session {
		void operator()(trnsci_session *of) const noexcept { trnsci_close(of); }
	};
	std::unique_ptr<trnsci_session, close_session> of_;
};

/* ---- Named streams ---- */

/** A named stream of the daemon: no number of it is given out twice. */
class stream {
public:
	/** One that exists, or will: nothing is asked for. */
	stream(const session &of, std::string name) : session_(of.get()), name_(std::move(name)) {}

	/** Creates it. */
	static stream create(const session &of, std::string name, const trnsci_stream_options &options = {}, report to = {})
	{
		stream made(of, std::move(name));
		trnsci_error err = {};

		to(trnsci_stream_create(of.get(), made.name_.c_str(), &options, nullptr, &err), err);
		return made;
	}

	const std::string &name() const noexcept { return name_; }
	/** As a source of any draw, while this object lives. */
	trnsci::source source() const noexcept { return trnsci_source_named(name_.c_str()); }

	/** Draws the next samples of the stream. The result states where they lay. */
	template <class C> span draw(const char *distribution, C &&out, const params &with = {}, report to = {}) const
	{
		const view elements(out);
		using T = typename decltype(elements)::element_type;
		const trnsci::source from = source();
		span where = {};
		trnsci_error err = {};

		to(trnsci_draw_array(session_, distribution, with.data(), &from, dtype_v<T>, elements.size(), elements.data(), &where, &err),
		   err);
		return where;
	}
	trnsci_stream_info info(report to = {}) const { return ask(trnsci_stream_show, to); }
	/** Deletes it; its numbers go to no other stream. */
	trnsci_stream_info remove(report to = {}) const { return ask(trnsci_stream_delete, to); }

private:
	trnsci_stream_info ask(int (*function)(trnsci_session *, const char *, trnsci_stream_info *, trnsci_error *),
			       report to) const
	{
		trnsci_stream_info info = {};
		trnsci_error err = {};

		to(function(session_, name_.c_str(), &info, &err), err);
		return info;
	}

	trnsci_session *session_;
	std::string name_;
};

/* ---- Calls ---- */

/** The parameters of a call or of a step, while they are written. Belongs to the call. */
class arguments {
public:
	arguments(struct trnsci_args *of) : of_(of) {}

	struct trnsci_args *get() const noexcept { return of_; }
	template <class T> arguments &set(const char *name, const T &value) { return set(param(name, value)); }
	arguments &set(const param &one)
	{
		trnsci_set(of_, one.get());
		return *this;
	}

private:
	struct trnsci_args *of_;
};

/** One request, and its reply once it is answered. */
class call {
public:
	call(const session &of, const char *method, report to = {})
	{
		trnsci_call *made = nullptr;
		const int r = trnsci_call_new(of.get(), method, &made);

		of_.reset(made);
		to(r);
	}

	trnsci_call *get() const noexcept { return of_.get(); }
	explicit operator bool() const noexcept { return of_ != nullptr; }

	template <class T> call &set(const char *name, const T &value)
	{
		arguments(trnsci_call_args(of_.get())).set(name, value);
		return *this;
	}
	/** Appends a step to a call of "run". */
	arguments step(const char *operation) { return trnsci_program_step(of_.get(), operation); }
	/** Asks for a result of a program in the reply, by its name. */
	call &result(const char *name)
	{
		trnsci_program_result(of_.get(), name);
		return *this;
	}

	/** Sends the call and waits for the answer. */
	bool run(report to = {}) { return finish(trnsci_run(of_.get(), nullptr), to); }
	/** The same, with changes of this run alone, {{"seed", 4}, {"out", other}}: the call is prepared, and later runs are faster. */
	bool run(const params &changes, report to = {}) { return finish(trnsci_run(of_.get(), changes.data()), to); }
	/** Sends the call and returns at once. */
	bool submit(report to = {}) { return to(trnsci_submit(of_.get(), nullptr, nullptr)); }
	bool done() const noexcept { return trnsci_call_done(of_.get()); }
	/** Waits for the answer of a submitted call, without end unless a time is given. */
	bool wait(report to = {}) { return finish(trnsci_wait(of_.get(), -1), to); }
	/** False with no error where the time has passed and the call is still in flight. */
	bool wait_for(std::chrono::milliseconds time, report to = {})
	{
		const int r = trnsci_wait(of_.get(), static_cast<int>(time.count()));

		if (r == -TRNSCI_TIMEOUT && !done())
			return to(0) && false;
		return finish(r, to);
	}
	void cancel() noexcept { trnsci_cancel(of_.get()); }

	/** Lives until the call is run again or ends. */
	value reply() const noexcept { return trnsci_call_reply(of_.get()); }
	span where(report to = {}) const
	{
		span where = {};

		to(trnsci_call_span(of_.get(), &where));
		return where;
	}

private:
	bool finish(int r, report to) const
	{
		const trnsci_error *err = trnsci_call_error(of_.get());

		return r < 0 && err && err->code == -r ? to(r, *err) : to(r);
	}

	struct free_call {
		void operator()(trnsci_call *of) const noexcept { trnsci_call_free(of); }
	};
	std::unique_ptr<trnsci_call, free_call> of_;
};

/* ---- An engine for <random> and std::shuffle ---- */

/** The 64-bit words of a source, as a UniformRandomBitGenerator: number k is sample k of the draw "bits" of dtype u64.
 * It draws them in blocks. A named stream reserves a block at a time: what is left of the last one is lost.
 * Copies go on from the same place, apart. operator() throws trnsci::error, end_of_stream after the last word. */
class engine {
public:
	using result_type = std::uint64_t;

	explicit engine(const session &of, const source &from = {}) : session_(of.get()), from_(from) {}

	static constexpr result_type min() { return std::numeric_limits<result_type>::min(); }
	static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
	result_type operator()()
	{
		if (next_ == left_)
			draw_block();
		return block_[next_++];
	}
	/** Skips n numbers, at once; of a named stream those that are drawn, and then by drawing. */
	void discard(unsigned long long n)
	{
		for (; n > 0 && (next_ < left_ || from_.name); n--)
			(*this)();
		from_.offset += n;
	}

private:
	static constexpr std::size_t room = 512;

	/* At the end of its stream, where a whole block does not fit, it goes on number by number. */
	void draw_block()
	{
		trnsci_error err = {};
		std::size_t n = room;
		int r = draw(n, err);

		if (r == -TRNSCI_END_OF_STREAM) {
			n = 1;
			r = draw(n, err);
		}
		report()(r, err);
		next_ = 0;
		left_ = n;
		if (!from_.name)
			from_.offset += n;
	}
	int draw(std::size_t n, trnsci_error &err)
	{
		return trnsci_draw_array(session_, "bits", nullptr, &from_, TRNSCI_U64, n, block_.data(), nullptr, &err);
	}

	trnsci_session *session_;
	source from_;
	std::array<result_type, room> block_ = {};
	std::size_t next_ = 0, left_ = 0;
};

} // namespace trnsci

/* std::error_code compares with the codes of trnsci.h: if (code == TRNSCI_LIMIT). */
inline std::error_code make_error_code(trnsci_error_code code)
{
	return std::error_code(static_cast<int>(code), trnsci::category());
}
template <> struct std::is_error_code_enum<trnsci_error_code> : std::true_type {};

#if __cplusplus >= 202002L
template <class T> inline constexpr bool std::ranges::enable_borrowed_range<trnsci::view<T>> = true;
template <class T> inline constexpr bool std::ranges::enable_view<trnsci::view<T>> = true;
#endif

#endif
