dehusk clean documents.jsonl -p patterns -o cleaned
diff <(jq -c . cut.jsonl) <(jq -c . cleaned/documents.jsonl)
if diff -q cut.jsonl documents.jsonl; then exit 1; fi
