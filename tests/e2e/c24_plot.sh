#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# plot: every kind in the terminal and as a file; the exact densities fit the samples.
set -u
# shellcheck source=tests/e2e/tap
. "$(dirname "$0")/tap"
cd "$work" || exit 1
COLUMNS=80
export COLUMNS

plot() {
	"$cli" -q --embedded plot "$@"
}

# Parameters that have no default.
parameters() {
	case $1 in
	weibull) echo --shape 1.5 ;;
	gamma) echo --shape 0.7 ;;
	beta) echo --alpha 2 --beta 0.8 ;;
	student_t | chi_squared) echo --df 3 ;;
	noncentral_chisquare) echo --df 3 --nonc 2.5 ;;
	f) echo --dfnum 5 --dfden 9 ;;
	noncentral_f) echo --dfnum 5 --dfden 9 --nonc 2.5 ;;
	poisson) echo --lam 20 ;;
	binomial) echo --trials 20 --p 0.3 ;;
	geometric | bernoulli | logseries) echo --p 0.3 ;;
	negative_binomial) echo --successes 3.5 --p 0.3 ;;
	hypergeometric) echo --ngood 30 --nbad 50 --nsample 20 ;;
	randint) echo --high 100 ;;
	pareto | power) echo --a 2.5 ;;
	zipf) echo --a 3 ;;
	triangular) echo --left -1 --mode 0.5 --right 2 ;;
	vonmises) echo --mu 0.5 --kappa 2 ;;
	wald) echo --mean 2 --scale 3 ;;
	esac
}

# With a fixed seed these are always the same numbers: one p in a thousand is the least that may be seen. Samples of coloured noise
# follow one another, so the test does not apply.
for distribution in $("$cli" rand --help | awk '/^  [a-z]/ {print $1}'); do
	case $distribution in bits | colored | permutation | categorical | dirichlet | sphere | multinomial) continue ;; esac
	# shellcheck disable=SC2046
	p=$(plot histogram "$distribution" -n 1e5 --seed 11 $(parameters "$distribution") | sed -n 's/.*p = //p')
	same "samples of $distribution fit its exact density, p = $p" fits "$(echo "${p:-0}" | awk '{print ($1 > 0.001) ? "fits" : "does not"}')"
done
same "a kept seed draws the same picture" "$(plot histogram normal --seed 3 | sum)" "$(plot histogram --seed 3 normal | sum)"
code "vectors have no histogram" 2 "$cli" -q --embedded plot histogram sphere
code "a misspelt kind" 2 "$cli" plot histgram normal
like "is asked about" "*did you mean 'histogram'?*" "$(cat err)"

sox -n -r 8000 -b 16 tone.wav synth 1 sine 1000 vol 0.5 2>/dev/null
"$cli" -q --embedded qmc sobol -n 256 -d 2 -o points.csv
like "the spectrum of a tone has its peak there" "tone.wav*Hz; up: dB" "$(plot spectrum tone.wav)"
# fits OPTION ... : whether the mark of the asked density lies at the top of the blocks in each column, to one row of 18.
fits() {
	plot spectrum --seed 5 "$@" >spectrum.txt && python3 - <<'END'
rows = [line[11:].rstrip("\n") for line in open("spectrum.txt", encoding="utf-8") if line[10:11] in ("+", "|")]
columns = [[row[i:i + 1] for row in rows] for i in range(max(map(len, rows)))]
marks = [column.index("○") for column in columns]
tops = [next((i for i, cell in enumerate(column) if cell.strip() and cell != "○"), len(column)) for column in columns]
print("fits" if len(rows) == 18 and len(marks) > 60 and all(abs(top - mark) <= 1 for top, mark in zip(tops, marks))
      else f"marks {marks}, blocks {tops}")
END
}
for asked in "--color white" "--color pink" "--color brown" "--color blue" "--color violet --fs 48000" "--exponent 3 --std 5" \
	"--psd 10,1e-2,100,1e-4,1000,1e-4,2000,1e-6 --fs 8000" "--taps 1,-0.5,0.25,0.1" "--color pink --density 0.25 --fs 100"; do
	# shellcheck disable=SC2086
	same "the spectrum of noise fits: $asked" fits "$(fits $asked)"
done
like "it says what is asked, and units" "*up: dB of 1/Hz*blocks: measured; ○: asked: pink" "$(plot spectrum --color pink --fs 8000)"
"$cli" -q --embedded rand colored --color violet -n 1e5 --fs 8000 --std 0.1 -o violet.wav
same "a file beside what is asked of it" fits "$(fits violet.wav --color violet)"
code "frequencies are the file's" 0 "$cli" -q --embedded plot spectrum violet.wav --color violet --band 100,3900
code "the engine checks what is asked" 2 "$cli" -q --embedded plot spectrum violet.wav --exponent 9
like "in its words" "*exponent: got 9, allowed is -4 to 4*" "$(cat err)"
code "two inputs" 2 "$cli" -q --embedded plot spectrum violet.wav tone.wav
code "segments that are too short" 65 "$cli" -q --embedded plot spectrum --color pink --length 4
for kind in spectrum spectrogram waveform; do
	same "$kind fills 18 lines" 18 "$(plot $kind tone.wav | grep -c '^.\{10\}[+|]')"
done
same "a waveform's axis is in seconds" "0.000 1.000" "$(plot waveform tone.wav | tail -2 | head -1 | awk '{print $1, $2}')"
same "a scatter plot has a mark for its points" 18 "$(plot scatter points.csv | grep -c '[░▒▓█]')"
same "a file's histogram" 18 "$(plot histogram points.csv | grep -c '^.\{10\}[+|]')"
code "points of one column are refused" 65 "$cli" -q --embedded plot scatter tone.wav
"$cli" -q --embedded field --shape 40,60 --exponent 4 --seed 1 -o field.npy
same "a field fills 18 lines" 18 "$(plot field field.npy | grep -c '^.\{10\}[+|]')"
like "with what its shades mean" "*colours: ' ' -* to '█' *" "$(plot field field.npy)"
like "a spectrogram's have a unit" "*colours: ' ' * to '█' * dB*" "$(plot spectrogram tone.wav)"
same "the numbers of an axis have as many decimals" 1 \
	"$(plot histogram points.csv | sed -n 's/^ *-*[0-9]*\.\([0-9]*\) [+|].*/\1/p' | awk '{print length($0)}' | sort -u | wc -l)"
code "a field of one row is refused" 65 "$cli" -q --embedded plot field tone.wav
code "an ending that gnuplot is not asked for" 2 "$cli" -q --embedded plot waveform tone.wav -o w.jpg
if command -v gnuplot >/dev/null; then
	plot histogram gamma --shape 2 -o h.png
	plot scatter points.csv -o p.png
	plot spectrogram tone.wav -o s.png
	plot field field.npy -o f.png
	for file in h p s f; do
		same "$file.png is a png" "89 50 4e 47" "$(head -c 4 $file.png | od -An -tx1 | sed 's/^ //')"
	done
	plot spectrum tone.wav -o s.svg
	plot spectrum --color pink --fs 8000 -o asked.svg
	like "measured and asked as svg" "*>measured<*>asked: pink<*" "$(cat asked.svg)"
	plot waveform tone.wav -o w.svg --title "It's <1 kHz>"
	like "svg with the title as it is" "*It*&lt;1*kHz*" "$(cat w.svg)"
	like "the spectrum as svg" "*<svg*Hz*</svg>*" "$(cat s.svg)"
	code "a picture that cannot be made" 73 "$cli" -q --embedded plot waveform tone.wav -o /nonexistent/w.svg
	mkdir empty
	code "no gnuplot" 73 env PATH="$work/empty" "$cli" -q --embedded plot waveform tone.wav -o x.png
	like "says how to do without" "*without -o*terminal*" "$(cat err)"
	same "and leaves no file" "" "$(find . -name 'x.png' -o -name '.trnsci-*')"
else
	echo "# gnuplot is not installed"
fi
finish
