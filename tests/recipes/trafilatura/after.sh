test "$(wc -l < out/cleaned/pages.jsonl)" -eq 25
test "$(wc -c < out/cleaned/pages.jsonl)" -lt "$(wc -c < pages.jsonl)"
grep -q 'A spaniel called Biscuit' out/cleaned/pages.jsonl
