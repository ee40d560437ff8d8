head -n 1 out/cleaned/articles.csv | grep -qx 'number,link,body'
test "$(grep -c '^7,"https://' out/cleaned/articles.csv)" = "$(grep -c '^7,"https://' articles.csv)"
test -s out/patterns/tideline-wire.example.yaml
