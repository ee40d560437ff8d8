for file in corpora/news/harbor-ledger.example/*.txt; do
    jq -cRs '{body: .}' "$file"
done > harbor.jsonl
