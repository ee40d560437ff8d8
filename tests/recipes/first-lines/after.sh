test "$(wc -l < out/cleaned/harbor.jsonl)" = "$(wc -l < harbor.jsonl)"
test "$(wc -c < out/cleaned/harbor.jsonl)" -lt "$(wc -c < harbor.jsonl)"
test -s out/patterns/harbor.yaml
