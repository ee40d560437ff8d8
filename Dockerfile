# The program alone, with all its commands and formats:
#     docker build -t dehusk .
#     docker run --rm -u "$(id -u):$(id -g)" -v "$PWD:/data" dehusk run corpora/news -o out
# `-u` makes what is written yours. `dehusk review` answers only the machine on which it runs, and that is the container: its page can
# be opened from outside only with `--network host`.

# Both stages have the same Debian, so that the program finds the C library with which it was linked.
ARG DEBIAN=bookworm

FROM rust:1-${DEBIAN} AS build
WORKDIR /src
COPY . .
# The caches make the next build shorter. They are no part of the image, so the program is copied out of them.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo rustc --release --features dist --locked --bin dehusk -- -C strip=symbols \
    && cp target/release/dehusk /usr/local/bin/dehusk

FROM debian:${DEBIAN}-slim
COPY --from=build /usr/local/bin/dehusk /usr/local/bin/dehusk
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/dehusk/
# A number and no name, so that it also holds where no users are known, as in Kubernetes.
RUN install -d -o 1000 -g 1000 /data
USER 1000:1000
WORKDIR /data
ENTRYPOINT ["dehusk"]
