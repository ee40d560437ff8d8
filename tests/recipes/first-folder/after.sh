test -s out/cleaned/tideline-wire.example/2024-03-05-pilot-boat.txt
test -s out/patterns/tideline-wire.example.yaml
