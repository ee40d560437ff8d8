printf '{"id": "broken", "text"\n' >> documents.jsonl
