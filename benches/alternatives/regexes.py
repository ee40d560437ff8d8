"""Removes what regexes match: python3 regexes.py REGEXES FROM TO (a JSON list, a folder of texts, another for these)."""

import json
import re
import sys
from pathlib import Path

regexes_file, from_folder, to_folder = map(Path, sys.argv[1:])
regexes = [re.compile(regex) for regex in json.loads(regexes_file.read_text(encoding="utf-8"))]


def stripped(text):
    """All matches are found in the text as it was, so that none of them stands in another's way."""
    spans = sorted(found.span() for regex in regexes for found in regex.finditer(text))
    kept, at = [], 0
    for start, end in spans:
        kept.append(text[at:start])
        at = max(at, end)
    kept.append(text[at:])
    return "".join(kept)


to_folder.mkdir(parents=True)
for path in sorted(from_folder.iterdir()):
    text = path.read_bytes().decode()
    (to_folder / path.name).write_bytes(stripped(text).encode())
