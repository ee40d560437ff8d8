test "$(wc -l < out/cleaned/hosts.jsonl)" = "$(wc -l < hosts.jsonl)"
test "$(ls out/patterns/*.yaml | wc -l)" -lt 60
