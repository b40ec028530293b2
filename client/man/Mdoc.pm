# SPDX-License-Identifier: Apache-2.0
# Writes running text as mdoc, for the scripts that make manual pages of other descriptions.
package Mdoc;
use strict;
use warnings;

our %pages;  # names that have a page of section 3
our $self = '';  # the page that is being written

my $width = 78;

# Returns text in which troff finds nothing to interpret.
sub escape {
	my ($text) = @_;
	$text =~ s/\\/\\e/g;
	$text =~ s/\^/\\(ha/g;
	$text =~ s/~/\\(ti/g;
	$text =~ s/`/\\(ga/g;
	$text =~ s/^([.'])/\\&$1/;
	return $text;
}

# Returns one argument of a macro.
sub argument {
	my ($text) = @_;
	return "\\&$text" if $text =~ /^[.,:;()\[\]?!|]$|^[A-Z%][A-Za-z0-9]{1,2}$/;
	$text = escape($text);
	$text =~ s/([.,:;?!)])$/\\&$1/;
	$text =~ s/"/""/g;
	return $text =~ /[\s"]/ || $text eq '' ? "\"$text\"" : $text;
}

# Returns the macro that shows this word, or nothing if the word is plain.
sub macro_of {
	my ($word) = @_;
	return 'Ql ' . argument($1) if $word =~ /^`(.+)`$/;
	return "Sy " . argument($1 =~ s/`//gr) if $word =~ /^\*\*([^*]+)\*\*$/;
	return "Em " . argument($1) if $word =~ /^\*([^*]+)\*$/;
	return "Dv $word" if $word =~ /^-?TRNSCI_[A-Z0-9_]+$|^NULL$|^UINT64_MAX$/;
	return "Xr $1 $2" if $word =~ /^([a-z][\w.-]+)\((\d)\)$/;
	return $pages{$1} ? "Xr $1 3" : "Fn $1" if $word =~ /^([a-z]\w+)\(\)$/;
	return $word eq $self ? "Fn $word" : "Xr $word 3" if $pages{$word};
	return "Fa $word" if $word =~ /^\*?ret_\w+$|^timeout_ms$/;
	return undef;
}

# Returns the words of a text. What stands between backquotes or asterisks is one word, with the punctuation around it.
sub words_of {
	my ($text) = @_;
	my @words;
	push @words, $1 while $text =~ /\G\s*((?:`[^`]+`|\*\*[^*]+\*\*|(?<![\w*])\*[A-Za-z][^*]*[\w.]\*(?!\w)|\S)+)/g;
	return @words;
}

my %abbreviation = map { $_ => 1 } qw(Ann. Math. Statist. Comp. Comput. Simul. Trans. Eng. Sci.);

# Whether a sentence ends with this word.
sub ends_sentence {
	my ($word, $next) = @_;
	return 0 if $word !~ /[\w)"'`%*\]][.?!][)"]*$/ || $word =~ /^[A-Z]\.$/ || $abbreviation{$word};
	return !defined $next || $next !~ /^[a-z0-9]/ || $next =~ /^trnsci|\(\d\)/;
}

# Returns the text as lines of mdoc: each sentence begins a line, and a word with a macro has a line of its own.
sub flow {
	my ($text) = @_;
	my @lines;
	my $line = '';
	my @words = words_of($text);
	my $end = sub { push @lines, $line if $line ne ''; $line = '' };

	while (@words) {
		my $word = shift @words;
		my ($open, $core, $close) = $word =~ /^(\(?)(.*?)([.,;:)]*)$/;
		($core, $close) = ($1, $2) if $core !~ /^`/ && $word =~ /^\(?([\w.-]+\(\d?\))([.,;:)]*)$/;
		my $macro = macro_of($core);

		if (defined $macro) {
			$end->();
			push @lines, '.' . ($open ne '' ? "Pf ( $macro" : $macro) . join '', map { " $_" } split //, $close;
			next;
		}
		my $plain = escape($word =~ s/`([^`]*)`/$1/gr);
		$end->() if $line ne '' && length($line) + 1 + length($plain) > $width;
		$line = $line eq '' ? $plain : $line . ' ' . $plain =~ s/^\\&(?=[.'])//r;
		if (ends_sentence($word, $words[0])) { $end->() }
		# An abbreviation: troff and mandoc would take it for a sentence's end.
		elsif ($plain =~ /[.?!]\)?$/) { $line .= '\\&' }
	}
	$end->();
	return join '', map { "$_\n" } @lines;
}

# Returns lines that stay as they are.
sub literal {
	my @lines = map { s/\\/\\e/gr =~ s/^([.'])/\\&$1/r } @_;
	return join '', ".Bd -literal\n", (map { "$_\n" } @lines), ".Ed\n";
}

# Returns the head of a page; its date is that of the page at `dated`.
sub head {
	my ($name, $section, $summary, $dated) = @_;
	open my $file, '<', $dated or die "$dated: $!\n";
	my ($date) = grep { /^\.Dd/ } <$file>;

	return join '', ".\\\" SPDX-License-Identifier: Apache-2.0\n", $date, '.Dt ', uc $name, " $section\n.Os\n",
	    ".Sh NAME\n.Nm $name\n.Nd ", escape($summary) =~ s/"/\\(dq/gr, "\n";
}

1;
