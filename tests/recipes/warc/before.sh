python3 - <<'PYTHON'
from io import BytesIO
from pathlib import Path
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

with open("crawl.warc.gz", "wb") as file:
    writer = WARCWriter(file, gzip=True)
    writer.write_record(writer.create_warcinfo_record("crawl.warc.gz", {"software": "a crawler"}))
    for page in sorted(Path("corpora/news").glob("*/*.html")):
        url = f"https://www.{page.parent.name}/{page.stem}"
        request = StatusAndHeaders(f"GET /{page.stem} HTTP/1.1", [("Host", page.parent.name)], is_http_request=True)
        writer.write_record(writer.create_warc_record(url, "request", http_headers=request))
        response = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
        body = BytesIO(page.read_bytes())
        writer.write_record(writer.create_warc_record(url, "response", payload=body, http_headers=response))

with open("crawl.wet.gz", "wb") as file:
    writer = WARCWriter(file, gzip=True)
    for text in sorted(Path("corpora/news").glob("*/*.txt")):
        url, body = f"https://www.{text.parent.name}/{text.stem}", BytesIO(text.read_bytes())
        writer.write_record(writer.create_warc_record(url, "conversion", payload=body, warc_content_type="text/plain"))
PYTHON
