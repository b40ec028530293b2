/* SPDX-License-Identifier: Apache-2.0 */
/* C++: samples in containers, std::shuffle and <random> on a stream, a spectrum of std::complex, errors both ways.
 *
 *   c++ -std=c++17 cpp.cpp $(pkg-config --cflags --libs trnsci) -o cpp
 *   ./cpp [SOCKET | embedded:] */
#include <algorithm>
#include <iostream>
#include <numeric>
#include <random>

#include <trnsci/trnsci.hpp>

int main(int argc, char **argv)
try {
	const trnsci::session session(argc > 1 ? argv[1] : "embedded:");

	/* The same numbers on every machine; without a seed it is 0. */
	std::vector<float> noise(4096);
	session.draw("normal", noise, {{"std", 0.5}}, trnsci::seed(1));
	std::cout << "noise " << noise[0] << ' ' << noise[1] << '\n';

	/* Every algorithm of the standard library that takes an engine. */
	trnsci::engine engine(session, trnsci::seed(2));
	std::vector<int> cards(52);
	std::iota(cards.begin(), cards.end(), 1);
	std::shuffle(cards.begin(), cards.end(), engine);
	std::cout << "a hand " << cards[0] << ' ' << cards[1] << ' ' << cards[2] << ", a die "
		  << std::uniform_int_distribution<int>(1, 6)(engine) << '\n';

	/* A tone in that noise. */
	for (std::size_t i = 0; i < noise.size(); i++)
		noise[i] += std::cos(2 * 3.14159265f * 440 * static_cast<float>(i) / 4096);
	const auto spectrum = session.rfft(noise);
	const auto peak = std::max_element(spectrum.begin(), spectrum.end(),
					   [](auto a, auto b) { return std::norm(a) < std::norm(b); });
	std::cout << "the tone is in bin " << peak - spectrum.begin() << '\n';

	/* An error code in the place of an exception. */
	std::error_code code;
	session.draw("normal", noise, {{"std", -1.0}}, {}, code);
	if (code == TRNSCI_OUT_OF_RANGE)
		std::cout << code.category().name() << ": " << code.message() << '\n';
	return 0;
} catch (const trnsci::error &error) {
	std::cerr << error.what() << '\n';
	return 1;
}
