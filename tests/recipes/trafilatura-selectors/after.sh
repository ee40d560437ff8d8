test "$(wc -l < pruned.jsonl)" -eq 25
if grep -q 'By Tom Ashdown' pruned.jsonl; then exit 1; fi
grep -q 'A spaniel called Biscuit' pruned.jsonl
