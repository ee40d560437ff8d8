test "$(zcat mixed/*.gz | wc -l)" -eq 105
test "$(zcat mixed/*.gz | wc -c)" -lt "$(wc -c < documents.jsonl)"
