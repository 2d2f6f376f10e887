#!/usr/bin/env bash
# Mines two-letter specifications from the unit tests of one library, as evals/spec-testing/README.md describes.
#
#   mine.sh ADIT CLASSES TEST-CLASSES LIBRARIES DIRECTORY OUT [PATTERN]
#
# ADIT is the built program; CLASSES and TEST-CLASSES are the compiled library and its compiled tests; LIBRARIES
# is the class path with JUnit; DIRECTORY is where the tests expect to run; OUT is a folder for the results, one
# JSON file of properties for each class that the tests create objects of. PATTERN selects classes by name.
set -euo pipefail
adit=$1 classes=$2 tests=$3 libraries=$4 directory=$5 out=$6 pattern=${7:-.}
mkdir -p "$out"
cd "$classes"
find . -name '*.class' | grep -vE '\$[0-9]|package-info|module-info' | sort | while read -r file; do
    class=$(sed 's#^\./##; s#\.class$##; s#/#.#g' <<<"$file")
    [[ $class =~ $pattern ]] || continue
    traces="$out/$class.jsonl"
    # Tests named after the class: `FooTest`, `TestFoo`, `FooBarTestCase`.
    simple=${class##*.}; simple=${simple%%\$*}
    mapfile -t chosen < <(cd "$tests" && find . -name "$simple*Test*.class" -o -name "Test$simple.class" \
        | grep -v '\$' | grep -vE "Performance|TestData|Abstract" | sed 's#^\./##; s#\.class$##; s#/#.#g' | sort)
    [ ${#chosen[@]} -gt 0 ] || continue
    "$adit" observe "$class" -c "$classes:$tests:$libraries" --tests "${chosen[@]}" --directory "$directory" \
        --time-limit 90s -o "$traces" </dev/null >/dev/null 2>"$out/$class.log" || continue
    "$adit" properties "$traces" --no-purity --labels method --template AF --template AIF --template AP \
        --template AIP --json >"$out/$class.json" 2>>"$out/$class.log" </dev/null || continue
    rm -f "$traces"
done
