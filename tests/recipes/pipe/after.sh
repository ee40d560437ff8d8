dehusk clean documents.jsonl.zst -p patterns -o cleaned
diff <(zstdcat cleaned.jsonl.zst) <(zstdcat cleaned/documents.jsonl.zst | jq -c '{id, text}')
test "$(zstdcat cleaned.jsonl.zst | wc -l)" -eq 105
