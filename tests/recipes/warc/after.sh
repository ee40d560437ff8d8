test -f out/patterns/orchard-courier.example.yaml
test "$(find texts/patterns -name '*.example.yaml' | wc -l)" -eq 5
zcat crawl.warc.gz > before
grep -q 'Serving the Hallow Vale' before
for cleaned in out/cleaned pages; do
    zcat "$cleaned/crawl.warc.gz" > after
    if grep -q 'Serving the Hallow Vale' after; then exit 1; fi
    grep -q 'Biscuit' after
done
grep -q '</html>' after
test "$(zcat texts/cleaned/crawl.wet.gz | wc -c)" -lt "$(zcat crawl.wet.gz | wc -c)"
