diff <(jq -r .text cleaned/news.jsonl) <(python3 -c '
import pyarrow.parquet
for text in pyarrow.parquet.read_table("out/cleaned/news.parquet")["text"].to_pylist():
    print(text)')
test "$(wc -c < cleaned/news.jsonl)" -lt "$(wc -c < news.jsonl)"
