test "$(wc -l < out/cleaned/pages.jsonl)" -eq 25
grep -q 'By Tom Ashdown' pages.jsonl
if grep -q 'By Tom Ashdown' out/cleaned/pages.jsonl; then exit 1; fi
grep -q 'A spaniel called Biscuit' out/cleaned/pages.jsonl
