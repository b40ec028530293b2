/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures by gnuplot: the script and the numbers go to its standard input, the picture comes from its standard output. */
#include "picture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/target.h"

extern char **environ;

static const char *terminal_of(const char *name)
{
	const size_t size = strlen(name);

	if (size > 4 && strcmp(name + size - 4, ".png") == 0)
		return "pngcairo size 1200,700 font 'sans,12'";
	return size > 4 && strcmp(name + size - 4, ".svg") == 0 ? "svg size 1200,700 font 'sans,12'" : NULL;
}

/* Writes a text in single quotes, in which a quote is doubled. */
static void write_quoted(FILE *script, const char *text)
{
	putc('\'', script);
	for (; *text; text++) {
		if (*text == '\'')
			putc('\'', script);
		putc(*text, script);
	}
	putc('\'', script);
}

static void write_heading(FILE *script, const struct picture *picture, const char *terminal)
{
	fprintf(script, "set terminal %s\nset encoding utf8\nset title ", terminal);
	write_quoted(script, picture->title);
	fputs(" noenhanced\nset xlabel ", script);
	write_quoted(script, *picture->note ? picture->note : picture->x_label ? picture->x_label : "");
	fputs(" noenhanced\nset ylabel ", script);
	write_quoted(script, picture->y_label ? picture->y_label : "");
	fprintf(script, " noenhanced\nset xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\nset grid\nset key top right\n",
		picture->x_min, picture->x_max, picture->y_min, picture->y_max);
	if (picture->is_log)
		fputs("set logscale x\nset grid xtics mxtics ytics\n", script);
}

static void write_numbers(FILE *script, const struct picture *picture)
{
	fputs("$data << EOD\n", script);
	for (size_t i = 0; i < picture->n && picture->kind != PICTURE_MAP; i++)
		fprintf(script, "%.9g %.9g %.9g %.9g\n", picture->x[i] + picture->width / 2, picture->y[i],
			picture->top ? picture->top[i] : 0, picture->curve ? picture->curve[i] : 0);
	for (size_t j = 0; j < picture->rows && picture->kind == PICTURE_MAP; j++)
		for (size_t i = 0; i < picture->n; i++)
			fprintf(script, "%.4g%c", picture->z[i * picture->rows + j], i + 1 < picture->n ? ' ' : '\n');
	fputs("EOD\n", script);
}

static void write_plot(FILE *script, const struct picture *picture)
{
	switch (picture->kind) {
	case PICTURE_BARS:
		fprintf(script, "set style fill solid 0.5\nset boxwidth %.17g\nplot $data using 1:2 with boxes lc rgb '#4477aa' "
				"title 'samples'%s\n", picture->width,
			picture->curve ? ", $data using 1:4 with lines lw 2 lc rgb '#ee6677' title 'exact'" : "");
		break;
	case PICTURE_LINE:
		fputs("plot $data using 1:2 with lines lc rgb '#4477aa' ", script);
		fputs(picture->curve ? "title 'measured', $data using 1:4 with lines lw 2 lc rgb '#ee6677' title " : "notitle",
		      script);
		if (picture->curve)
			write_quoted(script, picture->legend);
		putc('\n', script);
		break;
	case PICTURE_BAND:
		fputs("plot $data using 1:2:3 with filledcurves lc rgb '#4477aa' notitle\n", script);
		break;
	case PICTURE_POINTS:
		fputs("plot $data using 1:2 with points pt 7 ps 0.3 lc rgb '#4477aa' notitle\n", script);
		break;
	case PICTURE_MAP:
		fputs("set cblabel ", script);
		write_quoted(script, picture->z_label);
		fprintf(script, " noenhanced\nset cbrange [%.17g:%.17g]\nset palette rgb 33,13,10\n"
				"plot $data matrix using (%.17g+$1*%.17g):(%.17g+$2*%.17g):3 with image notitle\n",
			picture->z_min, picture->z_max, picture->x_min, (picture->x_max - picture->x_min) / (double)picture->n,
			picture->y_min, (picture->y_max - picture->y_min) / (double)picture->rows);
		break;
	}
}

/* Starts gnuplot with its output to fd. Its standard input, or NULL with errno. */
static FILE *start(int fd, pid_t *ret_pid)
{
	char name[] = "gnuplot", *const words[] = {name, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
	errno = posix_spawnp(ret_pid, name, &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[0]);
	if (errno) {
		close(ends[1]);
		return NULL;
	}
	return fdopen(ends[1], "w");
}

static int run(const struct picture *picture, const char *terminal, struct target *target)
{
	pid_t pid = -1;
	int status = -1;
	FILE *script = start(target->fd, &pid);

	if (!script)
		return complain(EXIT_CANNOT_CREATE, "gnuplot: %s; without -o the picture is printed in the terminal",
				strerror(errno));
	void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* a gnuplot that fails says why itself */

	write_heading(script, picture, terminal);
	write_numbers(script, picture);
	write_plot(script, picture);
	fclose(script);
	signal(SIGPIPE, before);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return EXIT_OK;
	return complain(EXIT_CANNOT_CREATE, "gnuplot failed with status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int gnuplot_write(const struct picture *picture, const char *name)
{
	const char *terminal = terminal_of(name);
	struct target target;
	int code;

	if (!terminal)
		return complain(EXIT_USAGE, "-o: '%s', allowed a name that ends in .png or .svg", name);
	code = target_open(name, &target);
	return code == EXIT_OK ? target_close(&target, run(picture, terminal, &target)) : code;
}
