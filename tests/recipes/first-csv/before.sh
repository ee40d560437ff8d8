{
    echo 'number,link,body'
    for file in corpora/news/*/*.txt; do
        jq -rRs --arg url "https://${file#corpora/news/}" '[7, $url, .] | @csv' "$file"
    done
} > articles.csv
