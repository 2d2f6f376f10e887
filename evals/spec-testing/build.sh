#!/usr/bin/env bash
# Fetches the labeled libraries from Debian's sources and compiles them with their tests, for `evals temari`.
#
#   build.sh DIR
#
# Needs a JDK, `deb-src` entries, and the packages junit5, junit4, libcommons-lang3-java, libh2-java,
# libcommons-io-java and libxz-java. Classes and tests that need libraries that Debian 12 does not have are
# left out. Each project gets DIR/PROJECT with `source`, `classes` and `tests`.
set -euo pipefail
mkdir -p "$1"
cd "$1"

# compile FOLDER CLASS-PATH LIST: without the files that do not compile, and those that need them.
compile() {
    local flags=(-nowarn -g -encoding UTF-8 -proc:none -Xmaxerrs 2000)
    until javac "${flags[@]}" -d "$1" -cp "$1:$2" @"$3" 2>errors.txt; do
        grep -oE '^[^ ]*\.java' errors.txt | sort -u >bad.txt
        grep -vxFf bad.txt "$3" >fewer.txt
        mv fewer.txt "$3"
    done
}

jars=/usr/share/java
path=$(printf "$jars/%s.jar:" junit-platform-console-standalone junit4 hamcrest commons-lang3 h2 commons-io xz)
for project in commons-codec commons-csv commons-io joda-convert commons-lang3 commons-compress; do
    package=$project
    case $project in commons-codec | commons-lang3 | commons-compress) package=lib$project-java ;; esac
    mkdir -p "$project/source" "$project/classes" "$project/tests" "$project/fetched"
    # Debian's own changes are not needed, and sometimes gone.
    (cd "$project/fetched" && apt-get source --download-only "$package" || true)
    tar xf "$project"/fetched/*.orig.tar.* -C "$project/source" --strip-components=1
    (
        cd "$project"
        find source/src/main/java -name '*.java' ! -name module-info.java >main.txt
        compile classes "$path" main.txt
        [ -d source/src/main/resources ] && cp -r source/src/main/resources/. classes/
        grep -rLE 'mockito|jimfs|easymock|openjdk.jmh' source/src/test/java --include='*.java' >tests.txt || true
        compile tests "classes:$path" tests.txt
        [ -d source/src/test/resources ] && cp -r source/src/test/resources/. tests/
        true
    )
done
