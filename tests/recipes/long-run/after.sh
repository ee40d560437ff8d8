test "$(wc -l < report.jsonl)" -eq 106
test "$(tail -1 cleaned/documents.jsonl)" = '{"id": "broken", "text"'
touch -r cleaned/documents.jsonl before
dehusk clean documents.jsonl -p patterns -o cleaned --resume --on-error copy --report report.jsonl || test $? -eq 3
test ! cleaned/documents.jsonl -nt before
