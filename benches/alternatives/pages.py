"""Extracts the text of HTML pages with other programs, to compare with `dehusk extract` and `dehusk clean`.

    pip install trafilatura resiliparse readability-lxml jusText lxml_html_clean
    pip install ./bindings/python
    python3 benches/alternatives/pages.py PROGRAM PAGES OUT [PATTERNS]

PROGRAM is trafilatura, resiliparse, readability, justext, lines, or dehusk-extract and dehusk-clean: the Python package of dehusk. `lines` leaves
out the lines that stand on a tenth of the pages of their source, 2 at least, from what resiliparse takes for the text of the whole page.
dehusk-clean needs PATTERNS, a folder that `dehusk mine` wrote. PAGES is a folder of <source>/<page>.html, in UTF-8. OUT gets
<source>/<page>.txt. Prints the number of pages, the seconds of processor time after the program was loaded, and its version.
"""

import collections
import importlib.metadata
import pathlib
import sys
import time


def trafilatura(_):
    import trafilatura

    return lambda html, source: trafilatura.extract(html, include_comments=False) or ""


def resiliparse(_):
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, source: extract_plain_text(html, main_content=True)


def readability(_):
    import lxml.html
    from readability import Document

    def text(html, source):
        summary = lxml.html.fromstring(Document(html).summary())
        # A paragraph of the summary must not run into the next one.
        for element in summary.iter():
            element.tail = (element.tail or "") + "\n"
        return summary.text_content()

    return text


def justext(_):
    import justext

    english = justext.get_stoplist("English")

    def text(html, source):
        paragraphs = justext.justext(html, english)
        return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)

    return text


def lines(paths):
    from resiliparse.extract.html2text import extract_plain_text

    def of(html):
        return [line.strip() for line in extract_plain_text(html).splitlines()]

    pages, found = collections.Counter(), collections.defaultdict(collections.Counter)
    for path in paths:
        source = path.parent.name
        pages[source] += 1
        found[source].update(set(of(read(path))))

    def text(html, source):
        most = max(2, pages[source] / 10)
        return "\n".join(line for line in of(html) if found[source][line] < most)

    return text


def dehusk_extract(_):
    import dehusk

    return lambda html, source: dehusk.extract(html)


def dehusk_clean(_):
    import dehusk

    cleaner = dehusk.Cleaner(sys.argv[4])
    return lambda html, source: cleaner.clean_page(html, source)


def read(path):
    return path.read_text("utf-8", "replace")


PROGRAMS = {
    "trafilatura": (trafilatura, "trafilatura"),
    "resiliparse": (resiliparse, "resiliparse"),
    "readability": (readability, "readability-lxml"),
    "justext": (justext, "jusText"),
    "lines": (lines, "resiliparse"),
    "dehusk-extract": (dehusk_extract, "dehusk"),
    "dehusk-clean": (dehusk_clean, "dehusk"),
}


def main():
    program, pages, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    make, package = PROGRAMS[program]
    paths = sorted(pages.glob("*/*.html"))
    start = time.process_time()
    extract = make(paths)
    if program != "lines":  # To count lines is work, to load a program is none.
        start = time.process_time()
    number, failed = 0, 0
    for path in paths:
        html = read(path)
        try:
            text = extract(html, path.parent.name)
        except Exception:  # Each program has errors of its own, and a page must not end the comparison.
            text, failed = "", failed + 1
        target = out / path.parent.name / (path.stem + ".txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        number += 1
    seconds = time.process_time() - start
    print(f"{program} {importlib.metadata.version(package)}: {number} pages, {seconds:.2f} s, {failed} failed")


main()
