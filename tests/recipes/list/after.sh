test "$(find cleaned -name '2024-04-*' | wc -l)" -eq "$(wc -l < april)"
cmp "$(head -1 april)" "cleaned/$(head -1 april | cut -d/ -f3-)" && exit 1
test -f patterns/tideline-wire.example.yaml
