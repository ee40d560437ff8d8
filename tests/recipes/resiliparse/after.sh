test "$(wc -l < out/cleaned/pages.jsonl)" -eq 25
grep -q 'Serving the Hallow Vale' pages.jsonl
if grep -q 'Serving the Hallow Vale' out/cleaned/pages.jsonl; then exit 1; fi
grep -q 'A spaniel called Biscuit' out/cleaned/pages.jsonl
