#!/usr/bin/env bash
# Fetches the labeled libraries from Debian's sources and compiles them with their tests, for `evals temari`.
#
#   build.sh DIR
#
# Needs a JDK, `deb-src` entries, and the packages junit5, junit4, libcommons-lang3-java, libh2-java and
# libcommons-io-java. Tests that need libraries that Debian 12 does not have are left out. Each project gets
# DIR/PROJECT with `source`, `classes` and `tests`.
set -euo pipefail
mkdir -p "$1"
cd "$1"
jars=/usr/share/java
path=$(printf "$jars/%s.jar:" junit-platform-console-standalone junit4 hamcrest commons-lang3 h2 commons-io)
for project in commons-codec commons-csv commons-io joda-convert; do
    package=$project
    [ $project = commons-codec ] && package=libcommons-codec-java
    mkdir -p "$project/source" "$project/classes" "$project/tests" "$project/fetched"
    # Debian's own changes are not needed, and sometimes gone.
    (cd "$project/fetched" && apt-get source --download-only "$package" || true)
    tar xf "$project"/fetched/*.orig.tar.* -C "$project/source" --strip-components=1
    (
        cd "$project"
        flags=(-nowarn -g -encoding UTF-8 -proc:none -Xmaxerrs 1000)
        find source/src/main/java -name '*.java' ! -name module-info.java >main.txt
        javac "${flags[@]}" -d classes -cp "$path" @main.txt
        [ -d source/src/main/resources ] && cp -r source/src/main/resources/. classes/
        grep -rLE 'mockito|jimfs|org.openjdk.jmh' source/src/test/java --include='*.java' >tests.txt || true
        until javac "${flags[@]}" -d tests -cp "classes:$path" @tests.txt 2>errors.txt; do
            # Without the files that do not compile, and those that need them.
            grep -oE '^[^ ]*\.java' errors.txt | sort -u >bad.txt
            grep -vxFf bad.txt tests.txt >fewer.txt
            mv fewer.txt tests.txt
        done
        [ -d source/src/test/resources ] && cp -r source/src/test/resources/. tests/
        true
    )
done
