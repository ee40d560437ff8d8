python3 - <<'PYTHON'
import json
from datasets import ClassLabel, Dataset, Features, List, Value

texts = {"id": Value("string"), "source": Value("string"), "text": Value("string")}
features = Features({**texts, "tags": List(Value("string")), "kind": ClassLabel(names=["news", "column"])})
with open("documents.jsonl", encoding="utf-8") as file:
    rows = [{**json.loads(line), "tags": ["sea"] * (number % 3), "kind": number % 2} for number, line in enumerate(file)]
news = Dataset.from_list(rows, features=features)
news.to_parquet("news.parquet")
news.to_json("news.jsonl", force_ascii=False)
PYTHON
