for file in corpora/news/*/*.txt; do
    jq -cRs '{text: .}' "$file"
done | jq -c --arg hosts "${HOSTS:-300}" -n '
    [inputs] as $pages
    | range($hosts | tonumber) as $host
    | range(2) as $page
    | $pages[($host * 7 + $page * 31) % ($pages | length)] + {url: "https://host\($host).example/\($page)"}
' > hosts.jsonl
