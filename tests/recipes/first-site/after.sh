test "$(ls out/cleaned/orchard-courier.example/*.md | wc -l)" = "$(ls corpora/news/orchard-courier.example/*.html | wc -l)"
