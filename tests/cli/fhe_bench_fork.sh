#!/bin/sh
# jobs/examples/fhe-bench/fork: a checkout of a workload's repository gets a submission where its harness looks, which runs
# by the harness's calls; other folders, other harnesses and what git has not kept are refused. The checkouts here are made
# of the tables of calls.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
kit=$(CDPATH='' cd -- "${forge%/*}/../../jobs/examples/fhe-bench" && pwd)
export PYTHON PYTHONDONTWRITEBYTECODE=1 GIT_CONFIG_GLOBAL=/dev/null
command -v git >/dev/null || {
    echo "skipped: git is not installed"
    exit 77
}
keep() {
    git -C "$1" add -A
    git -C "$1" -c user.name=test -c user.email=test@example.org commit -qm "$2"
}

# upstream WORKLOAD FOLDER: a harness that calls the stages of the table, prints what they end with, and what it measures;
# the parts of its repository that are replaced.
upstream() {
    "$PYTHON" - "$kit/$1/calls.json" "$2" <<'PYTHON'
import json, pathlib, sys

calls, root = json.load(open(sys.argv[1])), pathlib.Path(sys.argv[2])
steps = [step for step in calls["once"] + calls["each_run"] if "stages" in step]
lines = ["import json, os, subprocess, sys", "size = sys.argv[1]", "names = %r" % list(calls["sizes"]),
         "rows = %r" % list(calls["sizes"].values()), "name = names[int(size)]", "io = os.path.join('io', name)",
         "os.makedirs(io)", "os.makedirs(os.path.join('datasets', name, 'intermediate'), exist_ok=True)",
         "values = {'SIZE': name, 'NUMBER': size, 'ROWS': str(rows[int(size)])}", "submission = sys.argv[2]"]
for call in calls["scripts"]:
    lines.append("subprocess.run([os.path.join('%s', '%s')] + [w.replace('SUBMISSION', submission) for w in %r], check=True)"
                 % (*call[0].split("/"), call[1:]))
for step in steps:
    for stage in step["stages"]:
        lines += ["for place in %r:" % calls["looked_for"],
                  "    path = place.replace('SUBMISSION', submission).replace('STAGE', \"%s\")" % stage,
                  "    if os.path.exists(path):",
                  "        command = ([sys.executable] if path.endswith('.py') else []) + [path]",
                  "        subprocess.run(command + [values[w] for w in %r if w in values], check=True)" % step["arguments"],
                  "        break", "else: assert %r, path" % calls["may_lack"]]
    for path in step.get("measured", {}).values():
        lines.append("assert os.path.exists(os.path.join(io, %s))" % ", ".join("'%s'" % p for p in path.split("/")))
if calls["reported"]:
    lines.append("print(json.load(open(os.path.join(io, '%s'))))" % calls["reported"])
for mark in ["harness/utils.py", *calls["marks"]]:
    path = root / mark
    if path.suffix:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
(root / "harness" / "run_submission.py").write_text("\n".join(lines) + "\n")
for submission in calls["submissions"]:
    (root / submission / "src").mkdir(parents=True)
    (root / submission / "src" / "reference.cpp").write_text("")
(root / "measurements" / "small").mkdir(parents=True)
(root / "measurements" / "small" / "results-1.json").write_text("{}")
(root / "scripts").mkdir()
(root / "scripts" / "build_task.sh").write_text("")
(root / "requirements.txt").write_text("numpy>=1.20")
(root / ".gitignore").write_text("*/build/\n")
PYTHON
    git init -q "$2"
    keep "$2" "the reference"
}
for workload in zn-multiplication fetch-by-similarity ml-inference face-recognition; do
    upstream $workload $workload || fail "no checkout of $workload"
done

# Refused: folders without a harness, another workload's, calls that the table lacks, what git has not kept.
mkdir empty
reason 65 "empty: is no checkout of that workload's repository: there is no harness/run" "$kit/fork" zn-multiplication empty
reason 65 "there is no harness/generate_query.py" "$kit/fork" fetch-by-similarity zn-multiplication
reason 64 "invalid choice: 'zn'" "$kit/fork" zn zn-multiplication
cp -R zn-multiplication other
sed -i 's/"client_postprocess"/"client_finish"/' other/harness/run_submission.py
reason 65 "the harness calls .*, client_finish; the table of zn-multiplication was made of https" "$kit/fork" zn-multiplication other
cp -R ml-inference older
echo 'model_exec_dir = exec_dir / model_name' >>older/harness/run_submission.py
reason 65 "older: it looks for submissions/MODEL, as before pull request 24" "$kit/fork" ml-inference older
cp -R fetch-by-similarity measures
sed -i "s/query.bin/request.bin/" measures/harness/run_submission.py
reason 65 "the harness says nothing of ciphertexts_upload/query.bin" "$kit/fork" fetch-by-similarity measures
cp -R zn-multiplication changed
echo mine >changed/submission/mine
reason 73 "git has not kept submission/mine" "$kit/fork" zn-multiplication changed
rm -rf changed/.git
GIT_CEILING_DIRECTORIES=$work reason 73 "git does not keep what is replaced there" "$kit/fork" zn-multiplication changed
expect 0 "$kit/fork" zn-multiplication changed --replace
absent changed/submission/mine
cp -R zn-multiplication again
rm again/measurements/small/results-1.json again/submission/src/reference.cpp # which git has
expect 0 "$kit/fork" zn-multiplication again

# laid_out WORKLOAD SUBMISSION: what is there then, says its licence; git keeps all of it but what build_task.sh links.
laid_out() {
    expect 0 "$kit/fork" "$1" "$1" --source https://example.org/hebatch
    says "^$2/stages/server_encrypted_compute$"
    says "^harness/ makes the calls of the table"
    absent "$1/$2/src" "$1/measurements" "$1/$2/stages/contract.py" "$1/$2/stages/calls.json"
    for text in $(find "$1/$2" "$1/scripts" -type f ! -name '*.md' ! -name '*.txt' ! -name places ! -name hebatch ! -name .gitignore); do
        head -n 2 "$text" | grep -q '^# SPDX-License-Identifier: Apache-2.0$' || fail "$text does not say its licence"
    done
    grep -q "^source=https://example.org/hebatch$" "$1/$2/hebatch" || fail "the source is not in $2/hebatch"
    grep -q "128 bits" "$1/$2/README.md" || fail "$2/README.md gives no reason for 128 bits"
    keep "$1" "the submission"
    expect 0 env HEBATCH="$HEBATCH" "$1/scripts/build_task.sh" "$2"
    says "^hebatch [0-9.]*: $HEBATCH"
    [ -z "$(git -C "$1" status --porcelain)" ] || fail "not kept by git: $(git -C "$1" status --porcelain)"
}
laid_out zn-multiplication submission
laid_out fetch-by-similarity submission
grep -qx "h5py>=3" fetch-by-similarity/requirements.txt || fail "requirements.txt lacks h5py"
laid_out face-recognition submission
absent face-recognition/submission/stages/clear.py face-recognition/submission/stages/stand_in.py
grep -qx "pillow>=9" face-recognition/requirements.txt || fail "requirements.txt lacks pillow"
[ -e face-recognition/submission/client_preprocess_input.py ] || fail "the stage in Python is not where the harness looks"
laid_out ml-inference submissions/mnist
[ -e ml-inference/submissions/cifar10/python/network.py ] || fail "the fork cannot make its model of CIFAR-10"
grep -q "128 bits" ml-inference/submissions/cifar10/README.md || fail "no reason for 128 bits"
for folder in zn-multiplication fetch-by-similarity; do
    reason 64 "usage: measure.sh NUMBER" "$folder/scripts/measure.sh"
done

# The harness runs what was laid out.
(cd zn-multiplication && mkdir -p datasets/single && echo 18446744073709551615 >datasets/single/lhs.txt &&
    echo 3 >datasets/single/rhs.txt && expect 0 env HEBATCH="$HEBATCH" "$PYTHON" harness/run_submission.py 0 submission) || exit 1
[ "$(cat zn-multiplication/io/single/cleartext_output/out.txt)" = 18446744073709551613 ] || fail "the product is wrong"
(cd zn-multiplication && rm -rf io && echo 'print("FAIL")' >>harness/run_submission.py &&
    sed -i 's/^submission = .*/submission = "submission"/' harness/run_submission.py &&
    expect 1 env HEBATCH="$HEBATCH" scripts/measure.sh 0 && complains "an answer is wrong" &&
    rm -rf io && sed -i '$s/FAIL/[harness] Encrypted model: 0.8900 (89\/100 correct)/' harness/run_submission.py &&
    expect 1 env HEBATCH="$HEBATCH" scripts/measure.sh 0 && complains "fewer than 90 % of them are right" &&
    rm -rf io && sed -i '$d' harness/run_submission.py && expect 0 env HEBATCH="$HEBATCH" scripts/measure.sh 0 &&
    grep -q "^hebatch [0-9]" measurements/machine-0.txt && grep -q "^ranks 1$" measurements/machine-0.txt &&
    ! grep -q resident measurements/machine-0.txt &&
    expect 64 env PRESET=boot-test HEBATCH="$HEBATCH" scripts/measure.sh 0 && complains "are insecure") || exit 1

# build_task.sh builds where no program of the version is on the PATH, once; a failure says where the log is.
mkdir -p source/jobs
printf '#!/bin/sh\n' >source/jobs/install-dependencies
chmod +x source/jobs/install-dependencies
cat >source/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(hebatch VERSION 0.0.0 LANGUAGES NONE)
install(PROGRAMS hebatch DESTINATION bin)
CMAKE
version=$("$HEBATCH" --version | sed -n 's/^hebatch //p')
printf '#!/bin/sh\necho "hebatch %s"\n' "$version" >source/hebatch
git init -q source
keep source "hebatch"
git -C source tag "v$version"
build=zn-multiplication/scripts/build_task.sh
expect 69 env -u HEBATCH PATH=/usr/bin:/bin HEBATCH_SOURCE="$work/none" "$build"
complains "the build failed; all of it is in .*/third_party/hebatch/log"
expect 0 env -u HEBATCH PATH=/usr/bin:/bin HEBATCH_SOURCE="$work/source" "$build"
says "^building hebatch of $work/source at v$version"
says "^hebatch $version: .*/third_party/hebatch/install/bin/hebatch"
expect 0 env -u HEBATCH PATH=/usr/bin:/bin HEBATCH_SOURCE="$work/none" "$build"
[ "$(grep -c building out)" = 0 ] || fail "it was built again"
[ -z "$(git -C zn-multiplication status --porcelain third_party)" ] || fail "git sees what was built"
expect 69 env HEBATCH=/bin/true "$build"
complains "HEBATCH is /bin/true, which is no program hebatch"
