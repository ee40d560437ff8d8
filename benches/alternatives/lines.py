"""Drops lines that stand in many documents: python3 lines.py DOCUMENTS FROM TO (how many, a folder of texts, another)."""

import sys
from collections import Counter
from pathlib import Path

many, from_folder, to_folder = int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])


def lines(path):
    return path.read_bytes().decode().splitlines(keepends=True)


documents = Counter()
for path in from_folder.iterdir():
    documents.update({line.strip() for line in lines(path)})

to_folder.mkdir(parents=True)
for path in sorted(from_folder.iterdir()):
    kept = [line for line in lines(path) if not line.strip() or documents[line.strip()] < many]
    (to_folder / path.name).write_bytes("".join(kept).encode())
