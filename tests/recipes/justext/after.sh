test "$(wc -l < out/cleaned/pages.jsonl)" -eq 25
test "$(grep -c 'story continues below' pages.jsonl)" -gt 10
test "$(grep -c 'story continues below' out/cleaned/pages.jsonl)" -eq 5
grep -q 'a plumber' out/cleaned/pages.jsonl
