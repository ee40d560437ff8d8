"""Drops lines that were in an earlier document, with datatrove: python3 datatrove_lines.py DOCUMENTS.jsonl OUT.

    pip install datatrove nltk "xxhash<4" orjson fasteners tokenizers spacy regex

These are its stages for sentences, with lines as sentences and one line as a stretch. Prints the MB of the file (millions of bytes), the
seconds of processor time, and the version.
"""

import importlib.metadata
import os
import pathlib
import sys
import tempfile
import time

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import SentDedupConfig, SentenceDedupFilter, SentenceDedupSignature, SentenceFindDedups
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

documents, out = pathlib.Path(sys.argv[1]), sys.argv[2]
config = SentDedupConfig(n_sentences=1, split_sentences=False, only_dedup_in_index=False, min_doc_words=0, min_num_sentences=0)


def reader():
    return JsonlReader(str(documents.parent), glob_pattern=documents.name)


with tempfile.TemporaryDirectory() as folder:
    signatures, found = f"{folder}/signatures", f"{folder}/found"
    stages = [
        [reader(), SentenceDedupSignature(signatures, finder_workers=1, config=config)],
        [SentenceFindDedups(signatures, found, config=config)],
        [reader(), SentenceDedupFilter(found, config=config), JsonlWriter(out, compression=None)],
    ]
    start = time.process_time()
    for number, stage in enumerate(stages):
        LocalPipelineExecutor(stage, tasks=1, workers=1, logging_dir=f"{folder}/log-{number}").run()
    seconds = time.process_time() - start
print(f"{os.path.getsize(documents) / 1e6:.1f} MB, {seconds:.2f} s, datatrove {importlib.metadata.version('datatrove')}")
