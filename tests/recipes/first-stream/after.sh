test "$(wc -l < cleaned.jsonl)" = "$(find corpora/news/ -type f | wc -l)"
test -s news.state
