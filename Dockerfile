# adit with a JDK and a solver:
#
#   docker build -t adit .
#   docker run --rm -v "$PWD":/project adit mine com.acme.Order
#
# The sandbox needs Landlock from the kernel of the host (6.2 or later); `adit doctor` tells.
FROM rust:1-bookworm AS build
WORKDIR /adit
COPY . .
RUN ./adit install --prefix /usr/local

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends openjdk-17-jdk-headless z3 maven \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/adit /usr/local/bin/adit
COPY --from=build /usr/local/share/man/man1 /usr/local/share/man/man1
WORKDIR /project
ENTRYPOINT ["adit"]
CMD ["--help"]
