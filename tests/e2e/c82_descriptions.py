# SPDX-License-Identifier: Apache-2.0
"""Every description of a parameter states what `describe` does: type, unit, default, choices and range.

Compared with the daemon's reply are PROTOCOL.md, `trnsci-cli describe --json`, the --help of every command, what completion
offers for a choice, and what the header says of the fields of option structures. (c80_manuals compares the manual's lists with
--help.)"""
import json
import os
import re
import socket
import subprocess
import sys

import msgpack

root, cli, daemon_socket = sys.argv[1:4]
count = failed = 0


def report(name, wrong):
    global count, failed
    count += 1
    print('not ok' if wrong else 'ok', count, '-', name)
    for line in wrong:
        print('#  ', line)
    failed |= bool(wrong)


def call(method):
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(daemon_socket)
        peer.sendall(msgpack.packb([0, 1, method, []]))
        unpacker = msgpack.Unpacker(raw=False)
        while True:
            unpacker.feed(peer.recv(1 << 16))
            for message in unpacker:
                return message[3]


def number(text):
    """The value of "1e15", "-2^63" or "2^32 - 1"."""
    power = re.fullmatch(r'(-?)2\^(-?[0-9]+)( - 1)?', text.strip())
    if power:
        return float(power[1] + '1') * 2.0**int(power[2]) - bool(power[3])
    return float(text.strip())


def range_of(parameter):
    """(least, greatest, whether the least is excluded), None for what the type says."""
    least, most = parameter['min'], parameter['max']
    if parameter['type'] == 'choice' or (least is None and most is None):
        return None
    if most in (2.0**64, sys.float_info.max):
        most = None
    return (least, most, bool(parameter.get('above_min')))


def parse_range(text):
    """The range at the end of a help text, or of a cell; and the text without it."""
    match = re.search(r'(?:^|, )also inf and -inf$', text)
    if match:
        return (-float('inf'), float('inf'), False), text[:match.start()]
    real = r'-?(?:inf|2\^-?[0-9]+(?: - 1)?|[0-9][0-9.]*(?:e[-+]?[0-9]+)?)'
    match = re.search(rf'(?:^|, )(above )?({real}) to ({real})$', text)
    if match:
        return (number(match[2]), number(match[3]), bool(match[1])), text[:match.start()]
    match = re.search(rf'(?:^|, )(?:above ({real})|({real}) and up)$', text)
    if match:
        return (number(match[1] or match[2]), None, bool(match[1])), text[:match.start()]
    return None, text


def close(a, b):
    return a == b or (a is not None and b is not None and abs(a - b) <= 1e-12 * abs(a))


def same_range(a, b):
    if a is None or b is None:
        return a is b
    return close(a[0], b[0]) and close(a[1], b[1]) and a[2] == b[2]


def cells(line):
    return [cell.strip().replace('\\|', '|') for cell in re.split(r'(?<!\\)\|', line)[1:-1]]


def tables_of(text):
    """The tables of a page: (cells of the heading, rows of cells)."""
    for table in re.findall(r'(?:^\|.*\n)+', text, re.M):
        lines = table.splitlines()
        yield cells(lines[0]), [cells(line) for line in lines[2:]]


def names_in(text):
    return re.findall(r'`([a-z0-9_]+)`', text)


def inline_row(text):
    """The row of a parameter that stands in a cell: "`scale` (f64, default 1, 0 and up): scale of the distribution"."""
    name, kind, unit, choices, fallback, allowed, meaning = re.fullmatch(
        r'`([a-z0-9_]+)` \(([a-z0-9]+)(?: ([A-Za-z0-9 ]+))?(?:: ([^, ]+))?(?:, (required|default [^,]+))?(?:, (.*?))?\): (.*)', text).groups()
    return [name, kind, unit or '', (fallback or 'none').removeprefix('default '), choices or allowed or '', meaning]


def described_parameters(text):
    """What PROTOCOL.md gives each method: {method: {parameter: row}}, from the tables, and what they refer to."""
    common = {row[0]: row for row in next(rows for _, rows in tables_of(text[text.index('## Common parameters'):]))}
    described = {}
    for chapter in re.split(r'^## ', text[text.index('# Methods'):], flags=re.M)[1:]:
        every = re.search(r'^Every one has (.*?)(?:, and these)?[.:]$', chapter, re.M)
        of_all = {p: common[p] for p in ['u64', *names_in(every[1] if every else '')]}
        of_class = {}
        for heading, rows in tables_of(chapter.split('\n### ')[0]):
            if heading[0] == 'parameter':
                of_all |= {row[0]: row for row in rows}
            elif heading[0] == 'method':
                for name, _, parameters, *_ in rows:
                    listed = [p for p in parameters.split('<br>') if p]
                    of_class[name] = of_all | {p[1:-1]: common[p[1:-1]] for p in listed if p[1:-1] in common}
                    of_class[name] |= {row[0]: row for row in (inline_row(p) for p in listed if p[1:-1] not in common)}
        for name, section in re.findall(r'^### ([a-z_]+)\n(.*?)(?=^### |\Z)', chapter, re.M | re.S):
            line = re.search(r' Common: ([^.]*)\.(.*)$', section, re.M)
            of_class[name] = of_all | {p: common[p] for p in names_in(line[1])}
            for model, listed in re.findall(r'As of `([a-z_]+)`:([^.]*)\.', line[2]):
                of_class[name].update({p: of_class[model][p] for p in names_in(listed)})
            for heading, rows in tables_of(section):
                of_class[name].update({row[0]: row for row in rows if heading[0] == 'parameter'})
        described.update(of_class)
    return described


def check_protocol(methods):
    text = open(os.path.join(root, 'proto/PROTOCOL.md'), encoding='utf-8').read()
    described = described_parameters(text)
    wrong = [f'{name} is missing' for name in set(methods) - set(described)]
    wrong += [f'{name}: no such method' for name in set(described) - set(methods)]
    for method in methods.values():
        rows = described.get(method['name'], {})
        names = {p['name'] for p in method['params']}
        if set(rows) != names:
            wrong.append(f'{method["name"]}: parameters {sorted(set(rows) ^ names)} are missing or too many')
            continue
        for p in method['params']:
            row = rows[p['name']]
            where = f'{method["name"]}: {p["name"]}'
            fallback = 'required' if p['required'] else p['default'] or 'none'
            if row[1] != p['type'] or row[2] != p['unit'] or row[3] != fallback:
                wrong.append(f'{where}: {row[1:4]}, describe: {[p["type"], p["unit"], fallback]}')
            if row[5] != p['help']:
                wrong.append(f'{where}: {row[5]}, describe: {p["help"]}')
            if p['type'] == 'choice':
                if row[4].split('|') != p['choices']:
                    wrong.append(f'{where}: {row[4]}, describe: {p["choices"]}')
            elif not same_range(parse_range(row[4])[0], range_of(p)):
                wrong.append(f'{where}: {row[4]}, describe: {range_of(p)}')
    report('PROTOCOL.md: types, units, defaults, choices, ranges and meanings', wrong)


def members_of(value, path=''):
    """The paths of a reply's members; of an array those of its first element."""
    if isinstance(value, list):
        return members_of(value[0], path + '[]') if value and isinstance(value[0], dict) else {path}
    if not isinstance(value, dict):
        return {path}
    return set().union(*(members_of(inner, f'{path}.{name}' if path else name) for name, inner in value.items()))


def check_replies(replies):
    """What PROTOCOL.md says of the replies of `stats` and `describe` names every member of them, and no other."""
    text = open(os.path.join(root, 'proto/PROTOCOL.md'), encoding='utf-8').read()
    wrong = []
    for method, got in replies.items():
        tables = re.search(rf'^## The reply of {method}\n(.*?)(?=^## )', text, re.M | re.S)
        rows = [row for _, rows in tables_of(tables[1] if tables else '') for row in rows]
        stated = {path.strip() for row in rows for path in row[0].split(',')}
        if method == 'stats':
            counters = text[text.index('## Counters of the daemon'):]
            stated |= {'daemon.' + row[0] for row in next(rows for _, rows in tables_of(counters))}
        stated = {path for path in stated if '*' not in path} | {
            path for path in got for star in stated
            if '*' in star and re.fullmatch(re.escape(star).replace(r'\*', '[a-z0-9_]+'), path)}
        wrong += [f'{method}: {path} is not described' for path in sorted(got - stated)]
        wrong += [f'{method}: there is no {path}' for path in sorted(stated - got)]
    report('PROTOCOL.md: every member of the replies of stats and describe', wrong)


def help_of(*command):
    return subprocess.run([cli, *command, '--help'], capture_output=True, text=True, check=False).stdout


def words_of(text):
    return re.findall(r'^  ([a-z][a-z0-9_-]*)', text.split('\ncommon options:')[0], re.M)


def commands():
    """Every command that has options, as its words."""
    for distribution in words_of(help_of('rand')):
        yield from ((*words, distribution) for words in (('ring',), ('stream', 'draw', 'NAME'), ('broadcast', 'send', 'NAME')))
    for command in words_of(help_of()):
        inner = words_of(help_of(command)) if command in ('rand', 'qmc', 'stream', 'broadcast') else []
        for word in inner or [None]:
            yield (command, word) if word else (command,)


def check_row(where, parameter, value, text):
    """The value's placeholder and the help of one option against the parameter."""
    wrong = []
    fallback = re.search(r' ?\[([^][]*)\]$', text)
    stated = fallback[1] if fallback else None
    text = text[:fallback.start()] if fallback else text
    shown = parameter['default']
    if parameter['type'] == 'bool' and shown == 'false':
        shown = None
    if stated != ('required' if parameter['required'] else shown):
        wrong.append(f'{where}: default {stated}, describe: {shown}')
    got, text = parse_range(text)
    if not same_range(got, range_of(parameter)):
        wrong.append(f'{where}: range {got}, describe: {range_of(parameter)}')
    if parameter['unit'] not in text:
        wrong.append(f'{where}: the unit {parameter["unit"]} is missing')
    if not text.startswith(parameter['help']):
        wrong.append(f'{where}: help {text}')
    if parameter['type'] == 'choice' and value.split('|') != parameter['choices']:
        wrong.append(f'{where}: choices {value}, describe: {parameter["choices"]}')
    return wrong


def bound(value):
    return float(value) if value is not None else None


def check_described(methods):
    """The JSON of the command line against the daemon's reply; and its options against --help."""
    described = json.loads(subprocess.run([cli, 'describe', '--json'], capture_output=True, text=True, check=True).stdout)
    wrong = []
    operations = {operation['name']: operation for operation in described['operations']}
    if list(operations) != list(methods):
        wrong.append(f'operations: {sorted(set(operations) ^ set(methods))}')
    for name, method in methods.items():
        operation = operations.get(name, {'parameters': []})
        if (operation.get('category'), operation.get('help'), operation.get('details', '')) != (
                method['class'], method['help'], method.get('details', '')):
            wrong.append(f'{name}: category, help or details')
        if [p['name'] for p in operation['parameters']] != [p['name'] for p in method['params']]:
            wrong.append(f'{name}: parameters')
            continue
        for got, expected in zip(operation['parameters'], method['params']):
            where = f'{name}: {got["name"]}'
            for member in ('type', 'help'):
                if got[member] != expected[member]:
                    wrong.append(f'{where}: {member} {got[member]}, describe: {expected[member]}')
            if got.get('unit', '') != (expected['unit'] or ''):
                wrong.append(f'{where}: unit')
            if got['required'] != expected['required'] or got.get('default') != (expected['default'] or None):
                wrong.append(f'{where}: default {got.get("default")}, describe: {expected["default"]}')
            if got.get('choices') != (expected.get('choices') or None):
                wrong.append(f'{where}: choices {got.get("choices")}, describe: {expected.get("choices")}')
            stated = (bound(got['min']), bound(got.get('max')), got['above_min']) if 'min' in got else None
            if stated and stated[1] in (2.0**64, sys.float_info.max):
                stated = (stated[0], None, stated[2])
            if not same_range(stated, range_of(expected)) or not same_range(
                    parse_range(got['range'])[0] if 'range' in got else None, range_of(expected)):
                wrong.append(f'{where}: range {stated}, {got.get("range")}, describe: {range_of(expected)}')
    for command in described['commands']:
        if command['name'] and 'words' not in command and 'category' not in command:
            text = help_of(*command['name'].split())
            rows = re.findall(r'^  (?:-.,|   ) --([a-z0-9-]+)(?:, --(no-[a-z0-9-]+))?', text.split('\ncommon options:')[0], re.M)
            shown = [name for row in rows for name in row if name]
            if [option['name'] for option in command['options']] != shown:
                wrong.append(f'{command["name"]}: options, --help: {shown}')
    names = {format['name'] for format in described['formats']}
    if names != {'raw', 'npy', 'text', 'csv', 'wav', 'flac'}:
        wrong.append(f'formats: {names}')
    report('trnsci-cli describe --json: operations, their parameters, and the options of commands', wrong)


def own_names(method):
    """The options of a distribution's own parameters, which follow those of every draw."""
    names = [p['name'].replace('_', '-') for p in method['params']]
    return set(names[names.index('timeout-ms') + 1:])


def check_help(methods):
    """Returns the choices that completion is to offer: (words, option, choices)."""
    wrong, choices, seen = [], [], set()
    for command in commands():
        text = help_of(*command)
        operation = re.search(r'^parameters of ([a-z_]+):\n(.*?)(?:\n\n|\Z)', text, re.M | re.S)
        if not operation:
            continue
        method = methods[operation[1]]
        seen.add(operation[1])
        parameters = {p['name'].replace('_', '-'): p for p in method['params']}
        rows = re.findall(r'^      --([a-z0-9-]+)(?:, --no-[a-z0-9-]+)?(?: ([^ ]+))? +(.*)$', operation[2], re.M)
        if len(rows) != len(operation[2].splitlines()):
            wrong.append(f'{command}: a row that is not "--option VALUE help"')
        for name, value, help_text in rows:
            where = f'{" ".join(command)} --{name}'
            wrong += check_row(where, parameters[name], value, help_text)
            # Completion asks the same description: a command of each kind is enough.
            if parameters[name]['type'] == 'choice' and command[0] not in ('ring', 'broadcast') and len(command) < 4:
                choices.append((command, name, parameters[name]['choices']))
        if method['class'] == 'draw':
            wrong += [f'{" ".join(command)} --{name} is missing' for name in own_names(method) - {row[0] for row in rows}]
    missing = {m['name'] for m in methods.values() if m['class'] in ('draw', 'points')} - seen
    report('--help: help, units, defaults, choices and ranges', wrong + [f'no command has {m}' for m in missing])
    return choices


def check_completion(choices):
    script = os.path.join(root, 'client/cli/completion/trnsci-cli.bash')
    lines = [f'. "{script}"']
    for command, option, _ in choices:
        words = ' '.join(['trnsci-cli', *command, f'--{option}', '""'])
        lines.append(f'COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=(); _trnsci_cli; '
                     'echo "${COMPREPLY[*]}"')
    path = os.path.dirname(cli) + ':' + os.environ['PATH']
    offered = subprocess.run(['bash', '-c', '\n'.join(lines)], capture_output=True, text=True, check=True,
                             env={**os.environ, 'PATH': path}).stdout.splitlines()
    wrong = [f'{" ".join(command)} --{option}: {got}, describe: {" ".join(expected)}'
             for (command, option, expected), got in zip(choices, offered) if got.split() != expected]
    if len(offered) != len(choices):
        wrong.append(f'{len(offered)} answers to {len(choices)} questions')
    report(f'completion offers the choices of {len(choices)} options', wrong)


# Structures of the header, and the method that they state the parameters of.
STRUCTURES = {'trnsci_draw_tile': 'uniform', 'trnsci_source': 'uniform', 'trnsci_fft': 'fft', 'trnsci_dct': 'dct',
              'trnsci_trace': 'trace', 'trnsci_stft': 'stft', 'trnsci_welch': 'welch',
              'trnsci_stream_options': 'stream_create'}


def stated_default(comment):
    for pattern in (r'"([^"]*)" \(NULL\)', r'NULL: "([^"]*)"', r'\b0: (-?[0-9.]+)\b'):
        match = re.search(pattern, comment)
        if match:
            return match[1]
    return None


def check_header(methods):
    header = open(os.path.join(root, 'client/include/trnsci/trnsci.h'), encoding='utf-8').read()
    wrong, compared = [], 0
    for structure, operation in STRUCTURES.items():
        body = re.search(rf'^struct {structure} {{\n(.*?)^}};', header, re.M | re.S)
        parameters = {p['name']: p for p in methods[operation]['params']}
        for fields, comment in re.findall(r'^\t[^;/]*?([a-z_, ]+)(?:\[[^]]*\])?;\s*/\*\*< (.*?)\*/', body[1] if body else '',
                                          re.M | re.S):
            parameter = parameters.get(fields.split(',')[-1].split()[-1])
            if not parameter:
                continue
            stated = stated_default(comment)
            quoted = re.findall(r'"([^"]*)"', comment)
            compared += stated is not None
            if stated is not None and parameter['default'] and stated != parameter['default']:
                wrong.append(f'{structure}: {parameter["name"]}: {stated}, describe: {parameter["default"]}')
            if parameter['type'] == 'choice' and not set(quoted) <= set(parameter['choices']):
                wrong.append(f'{structure}: {parameter["name"]}: {quoted}, describe: {parameter["choices"]}')
    if not compared:
        wrong.append('no field with a default was found')
    report(f'trnsci.h: {compared} defaults of fields', wrong)


reply = call('describe')
table = {m['name']: m for m in reply['methods']}
check_protocol(table)
check_replies({'stats': members_of(call('stats')),
               'describe': members_of(reply) | {'methods[].params[].' + name for m in reply['methods'] for p in m['params'] for name in p}})
check_described(table)
check_completion(check_help(table))
check_header(table)
print(f'1..{count}')
sys.exit(failed)
