"""Extracts the text of HTML pages with other programs, to compare with `dehusk extract` and `dehusk clean`.

    pip install trafilatura resiliparse readability-lxml jusText lxml_html_clean
    python3 benches/alternatives/pages.py PROGRAM PAGES OUT

PROGRAM is trafilatura, resiliparse, readability or justext. PAGES is a folder of <source>/<page>.html, in UTF-8. OUT gets
<source>/<page>.txt. Prints the number of pages, the seconds of processor time after the program was loaded, and its version.
"""

import importlib.metadata
import pathlib
import sys
import time


def trafilatura():
    import trafilatura

    return lambda html: trafilatura.extract(html, include_comments=False) or ""


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html: extract_plain_text(html, main_content=True)


def readability():
    import lxml.html
    from readability import Document

    def text(html):
        summary = lxml.html.fromstring(Document(html).summary())
        # A paragraph of the summary must not run into the next one.
        for element in summary.iter():
            element.tail = (element.tail or "") + "\n"
        return summary.text_content()

    return text


def justext():
    import justext

    english = justext.get_stoplist("English")

    def text(html):
        paragraphs = justext.justext(html, english)
        return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)

    return text


PROGRAMS = {
    "trafilatura": (trafilatura, "trafilatura"),
    "resiliparse": (resiliparse, "resiliparse"),
    "readability": (readability, "readability-lxml"),
    "justext": (justext, "jusText"),
}


def main():
    program, pages, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    make, package = PROGRAMS[program]
    extract = make()
    start, number, failed = time.process_time(), 0, 0
    for path in sorted(pages.glob("*/*.html")):
        html = path.read_text("utf-8", "replace")
        try:
            text = extract(html)
        except Exception:  # Each program has errors of its own, and a page must not end the comparison.
            text, failed = "", failed + 1
        target = out / path.parent.name / (path.stem + ".txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        number += 1
    seconds = time.process_time() - start
    print(f"{program} {importlib.metadata.version(package)}: {number} pages, {seconds:.2f} s, {failed} failed")


main()
