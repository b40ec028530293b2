/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci.hpp in C++17 and C++20: its objects, containers, errors and engine. Prints TAP. tests/e2e/c72_cpp.sh compiles it by
 * each compiler and standard.
 *
 *   cpp_interface embedded: | SOCKET */
#include <trnsci/trnsci.hpp>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <numeric>
#include <random>

#if __cplusplus >= 202002L
#include <span>
static_assert(std::uniform_random_bit_generator<trnsci::engine>);
static_assert(std::ranges::contiguous_range<trnsci::view<float>>);
static_assert(std::is_convertible_v<trnsci::view<float>, std::span<float>>);
static_assert(std::is_convertible_v<std::span<float>, trnsci::view<const float>>);
#endif

static_assert(std::is_unsigned_v<trnsci::engine::result_type>);
static_assert(trnsci::engine::min() == 0 && trnsci::engine::max() == UINT64_MAX);
static_assert(!std::is_copy_constructible_v<trnsci::session> && std::is_nothrow_move_constructible_v<trnsci::session>);
static_assert(!std::is_copy_constructible_v<trnsci::tile<float>> && std::is_nothrow_move_constructible_v<trnsci::tile<float>>);
static_assert(!std::is_copy_constructible_v<trnsci::call> && std::is_nothrow_move_constructible_v<trnsci::call>);
static_assert(std::is_nothrow_copy_constructible_v<trnsci::error>);
static_assert(std::is_convertible_v<std::vector<float> &, trnsci::view<const float>>);
static_assert(!std::is_convertible_v<const std::vector<float> &, trnsci::view<float>>);
static_assert(!std::is_convertible_v<std::vector<double> &, trnsci::view<float>>);

namespace {

int n_checks, n_failed;

void check(bool passed, const char *name)
{
	n_failed += !passed;
	std::cout << (passed ? "ok " : "not ok ") << ++n_checks << " - " << name << '\n';
}

/* The error that is thrown; 0: none is. */
template <class F> int thrown(F &&function)
{
	try {
		function();
	} catch (const trnsci::error &error) {
		return error.code().value();
	}
	return 0;
}

template <class T> bool draws_as_c(const trnsci::session &session, const char *distribution)
{
	std::vector<T> here(1001), there(1001);
	const trnsci::source from = trnsci::seed(9);

	session.draw(distribution, here, {}, from);
	trnsci_draw_array(session.get(), distribution, nullptr, &from, trnsci::dtype_v<T>, there.size(), there.data(), nullptr,
			  nullptr);
	return std::memcmp(here.data(), there.data(), here.size() * sizeof(T)) == 0 && here != std::vector<T>(1001);
}

void check_draws(const trnsci::session &session)
{
	check(draws_as_c<float>(session, "normal") && draws_as_c<double>(session, "uniform") &&
		      draws_as_c<std::int8_t>(session, "rademacher") && draws_as_c<std::int64_t>(session, "poisson") && draws_as_c<std::uint32_t>(session, "bits") &&
		      draws_as_c<std::uint64_t>(session, "bits"),
	      "every element type draws what the C interface draws");

	float plain[8];
	std::array<float, 8> array;
	const trnsci::span where = session.draw("normal", plain, {{"mean", 1}, {"std", 2.0}});

	session.draw("normal", array, {{"mean", 1.0f}, {"std", 2u}}, trnsci::source{});
	check(std::equal(array.begin(), array.end(), plain), "arrays, and numbers of every kind as parameters");
	check(where.seed == 0 && where.next == 8 && std::string(where.generator) == "threefry4x32", "where a draw lay");

	std::vector<float> large(100);

	session.draw("normal", trnsci::view<float>(large).subview(4, 96), {}, trnsci::seed(3));
	check(large[3] == 0 && std::equal(large.begin() + 4, large.end(), session.samples<float>("normal", 96, {}, trnsci::seed(3)).begin()),
	      "a part of a vector");
	const std::vector<double> weights = {0, 1, 0};
	const auto classes = session.samples<std::int64_t>("categorical", 50, {{"weights", weights}});

	check(std::count(classes.begin(), classes.end(), 1) == 50, "a row of numbers as a parameter");
}

void check_errors(const trnsci::session &session)
{
	std::vector<float> out(4);
	const trnsci::params wrong = {{"std", -1.0}};
	std::error_code code;
	trnsci_error err = {};

	check(thrown([&] { session.draw("normal", out, wrong); }) == TRNSCI_OUT_OF_RANGE, "an error is thrown");
	try {
		session.draw("normal", out, wrong);
	} catch (const std::system_error &error) {
		check(std::string(error.what()).find("out_of_range: normal: std") == 0 && error.code() == TRNSCI_OUT_OF_RANGE,
		      "with the text of the C interface");
	}
	session.draw("normal", out, wrong, {}, code);
	check(code == TRNSCI_OUT_OF_RANGE && code.category() == trnsci::category(), "or comes as a code");
	session.draw("normal", out, {}, {}, code);
	check(!code, "which a success resets");
	session.draw("normal", out, wrong, {}, err);
	check(err.code == TRNSCI_OUT_OF_RANGE && std::string(err.text).find("std") != std::string::npos, "or with its text");
	check(!session.new_tile<float>(std::uint64_t{1} << 61, code) && code, "what could not be made is false");
	check(!trnsci::session("/nowhere/at/all.sock", {}, code) && code == TRNSCI_NO_DAEMON, "a session, too");
	check(thrown([] { trnsci::session("/nowhere/at/all.sock"); }) == TRNSCI_NO_DAEMON, "whose constructor throws otherwise");
	check(thrown([&] { trnsci::call(session, "no_such").run(); }) == TRNSCI_UNKNOWN_METHOD, "a call's error");
}

void check_transforms(const trnsci::session &session)
{
	const auto signal = session.samples<double>("normal", 1000);
	const auto half = session.rfft(signal);
	const auto back = session.irfft(half, signal.size());
	double worst = 0, energy = 0, spectrum = 0;

	for (std::size_t i = 0; i < signal.size(); i++)
		worst = std::max(worst, std::abs(signal[i] - back[i]));
	check(half.size() == 501 && worst < 1e-13, "reals, their spectrum, and back");

	const std::vector<std::complex<double>> complex(signal.begin(), signal.end());
	const auto whole = session.fft(complex, {{"norm", "ortho"}});
	const auto again = session.ifft(whole, {{"norm", std::string("ortho")}});

	for (std::size_t i = 0; i < whole.size(); i++) {
		energy += signal[i] * signal[i];
		spectrum += std::norm(whole[i]);
	}
	check(std::abs(energy / spectrum - 1) < 1e-13 && std::abs(again[7] - complex[7]) < 1e-13, "complex numbers, and parameters of text");

	std::vector<float> matrix(12), rows(12);

	std::iota(matrix.begin(), matrix.end(), 0.0f);
	session.apply("fftshift", trnsci::array_of(matrix, {3, 4}), trnsci::array_of(rows, {3, 4}),
			  {{"axes", std::vector<std::int64_t>{1}}});
	check(rows[0] == 2 && rows[4] == 6, "an array with a shape");
}

void check_tiles(const trnsci::session &session)
{
	trnsci::tile<float> samples = session.new_tile<float>({4, 256});

	session.draw("normal", samples, {}, trnsci::seed(5));
	check(samples.size() == 1024 && samples.info().ndim == 2 &&
		      std::equal(samples.begin(), samples.end(), session.samples<float>("normal", 1024, {}, trnsci::seed(5)).begin()),
	      "a tile of samples");

	auto spectra = session.apply<std::complex<float>>("fft", {{"in", samples}, {"real", true}});
	check(spectra && spectra.info().shape[0] == 4 && spectra.info().shape[1] == 129, "a result of its own shape");
	check(thrown([&] { session.apply<double>("fft", {{"in", samples}, {"real", true}}); }) == TRNSCI_WRONG_TYPE,
	      "a result of another dtype is refused");

	const float first = samples[0];
	trnsci::tile<float> moved = std::move(samples);
	const trnsci::view<const float> looked(moved);

	check(!samples && moved[0] == first && looked.size() == 1024 && looked[0] == first, "it moves, and is looked at");
}

void check_calls(const trnsci::session &session)
{
	trnsci::call program(session, "run");

	program.step("normal").set("n", 64).set("as", "x");
	program.step("scale").set("in", "x").set("by", 3.0).set("as", "y");
	program.result("x").result("y").run();
	const auto x = program.reply()["results"]["x"].elements<float>(), y = program.reply()["results"]["y"].elements<float>();

	check(x.size() == 64 && y.size() == 64 && y[9] == 3 * x[9], "a program and its results");
	check(thrown([&] { program.reply()["results"]["x"].elements<double>(); }) == TRNSCI_WRONG_TYPE, "of another type: an error");

	trnsci::call version(session, "version");

	version.submit();
	version.wait();
	check(version.reply()["version"].as<std::string>() == trnsci_version() && version.reply()["protocol"].as<int>() == 1,
	      "a reply's text and number");
	check(!version.reply()["no_such"] && thrown([&] { version.reply()["version"].as<int>(); }) == TRNSCI_WRONG_TYPE,
	      "a value that there is not, and one of another type");

	trnsci::call draw(session, "uniform");

	draw.set("n", 100).set("seed", UINT64_MAX);
	check(draw.run() && draw.where().seed == UINT64_MAX, "an integer of all 64 bits, and where a call's draw lay");
	check(draw.run({{"seed", 4}}) && draw.where().seed == 4, "a run with changes");
	draw.submit();
	while (!draw.wait_for(std::chrono::milliseconds(100)))
		;
	check(draw.done(), "a wait with a time");
}

void check_engine(const trnsci::session &session)
{
	const auto bits = session.samples<std::uint64_t>("bits", 3000, {}, trnsci::seed(11));
	trnsci::engine engine(session, trnsci::seed(11));
	bool same = true;

	for (std::size_t i = 0; i < 700; i++)
		same &= engine() == bits[i];
	check(same, "an engine's numbers are those of the draw of bits");
	trnsci::engine copy = engine;

	engine.discard(2000);
	check(engine() == bits[2700], "it skips");
	check(copy() == bits[700], "a copy goes on from its own place");

	std::vector<int> cards(52), sorted;

	std::iota(cards.begin(), cards.end(), 0);
	sorted = cards;
	std::shuffle(cards.begin(), cards.end(), engine);
	check(cards != sorted && std::is_permutation(cards.begin(), cards.end(), sorted.begin()), "std::shuffle");
	const double normal = std::normal_distribution<double>()(engine);
	const int die = std::uniform_int_distribution<int>(1, 6)(engine);

	check(std::abs(normal) < 40 && die >= 1 && die <= 6, "distributions of <random>");

	trnsci::source last = trnsci::seed(1);

	last.offset = (UINT64_MAX / 2) - 1;
	trnsci::engine ends(session, last);
	int count = 0;
	const int code = thrown([&] {
		for (;; count++)
			ends();
	});
	check(code == TRNSCI_END_OF_STREAM && count == 2, "the end of its stream");
}

void check_streams(const trnsci::session &session)
{
	std::vector<double> draws(6), more(4);
	auto stream = trnsci::stream::create(session, "cpp/example");

	check(stream.draw("uniform", draws).next == 12 && stream.info().position == 12, "a named stream moves on");
	check(thrown([&] { trnsci::stream::create(session, "cpp/example"); }) == TRNSCI_EXISTS, "and exists once");
	session.draw("uniform", more, {}, stream.source());
	trnsci::source from = trnsci::seed(stream.info().seed);

	from.stream = stream.info().stream;
	draws.insert(draws.end(), more.begin(), more.end());
	const auto again = session.samples<double>("uniform", 10, {}, from);

	check(draws == again, "its numbers can be drawn again");
	trnsci::engine engine(session, stream.source());
	const auto first = engine();

	check(engine() != first && stream.info().position == 20 + 2 * 512, "an engine reserves a block of it");
	check(stream.remove().position == 20 + 2 * 512 && thrown([&] { stream.info(); }) == TRNSCI_NOT_FOUND, "it is deleted");
}

} // namespace

int main(int argc, char **argv)
try {
	trnsci::session first(argc > 1 ? argv[1] : "embedded:");
	const trnsci::session session = std::move(first);

	check(!first && session && session.info().embedded == (argc < 2 || std::string(argv[1]) == "embedded:"), "a session moves");
	check_draws(session);
	check_errors(session);
	check_transforms(session);
	check_tiles(session);
	check_calls(session);
	check_engine(session);
	if (!session.info().embedded)
		check_streams(session);
	std::cout << "1.." << n_checks << '\n';
	return n_failed != 0;
} catch (const std::exception &error) {
	std::cout << "not ok " << n_checks + 1 << " - " << error.what() << '\n';
	return 1;
}
