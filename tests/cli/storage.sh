#!/bin/sh
# Where the numbers of an HDF5 table lie: data in other files is refused, and read where that is asked for; what HDF5 would
# fill in without a word is refused.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys --quiet
mkdir in
"$PYTHON" - <<'END' || fail "no tables"
import h5py, numpy as np
for i in (0, 1):
    with h5py.File(f"in/s{i}.h5", "w") as f:
        f["d"] = np.array([2 * i + 1, 2 * i + 2], "i4")
with h5py.File("in/t.h5", "w") as f:
    f["real"] = np.array([1, 2], "i4")
    f["soft"] = h5py.SoftLink("/real")
    f["link"] = h5py.ExternalLink("s0.h5", "d")
    f["softlink"] = h5py.SoftLink("/link")
    f.create_group("group")["a"] = np.array([1, 2], "i4")
    f["group/b"] = h5py.ExternalLink("s1.h5", "d")
    own, others = h5py.VirtualLayout(shape=(2,), dtype="i4"), h5py.VirtualLayout(shape=(4,), dtype="i4")
    own[:] = h5py.VirtualSource(".", "real", shape=(2,))
    for i in (0, 1):
        others[2 * i : 2 * i + 2] = h5py.VirtualSource(f"s{i}.h5", "d", shape=(2,))
    f.create_virtual_dataset("own", own)
    f.create_virtual_dataset("others", others, fillvalue=0)
    f.create_dataset("raw", (2,), dtype="i4", external=[("in/raw.bin", 0, 8)])[:] = [7, 8]
    f.create_dataset("open", (2,), dtype="i4", external=[("in/raw.bin", 0, h5py.h5f.UNLIMITED)])
    f.create_dataset("chunks", (100,), chunks=(10,), dtype="i4")[0:10] = 1
    f.create_dataset("packed", data=np.arange(100, dtype="i4"), chunks=(7,), compression="gzip")
    f.create_dataset("never", (3,), dtype="i4")
    f.create_dataset("lzf", data=np.arange(100, dtype="i4"), chunks=(7,), compression="lzf")
    f.create_group("round")
    f["round/round"] = f["round"]
    f["round/out"], f["round/in"] = h5py.ExternalLink("s0.h5", "d"), h5py.SoftLink("/real")
    for name, attribute, value in [("scaled", "scale_factor", 0.1), ("moved", "add_offset", 3), ("same", "scale_factor", 1.0),
                                   ("filled", "_FillValue", np.int32(-9)), ("lacking", "missing_value", np.int32(2))]:
        f.create_dataset(name, data=np.array([1, 2], "i4")).attrs[attribute] = value
    # Virtual datasets of sources in this file: parts are (where, of which source, how much of it).
    everything = np.s_[:]
    def virtual(name, shape, *parts):
        layout = h5py.VirtualLayout(shape=shape, dtype="i4")
        for where, source, much in parts:
            layout[where] = h5py.VirtualSource(".", source, shape=shape if source == name else of[source])[much]
        f.create_virtual_dataset(name, layout, fillvalue=0)
        of[name] = layout.shape
    f["halves"], f["unsigned"] = [1.5, 2.5], np.array([1, 2**32 - 1], "u4")
    of = dict.fromkeys(["real", "soft", "own", "link", "softlink", "raw", "scaled", "lacking", "halves", "unsigned"], (2,))
    of |= {"others": (4,), "lzf": (100,), "never": (3,)}
    for source in "own others link softlink raw never scaled lacking lzf halves unsigned of_others of_never".split():
        virtual("of_" + source, of[source], (everything, source, everything))
    virtual("of_lacking_said", (2,), (everything, "lacking", everything))
    f["of_lacking_said"].attrs["_FillValue"] = np.int32(2)
    virtual("circle", (2,), (everything, "circle", everything))
    virtual("hole", (4,), (np.s_[0:2], "real", everything))
    virtual("holes", (4,), (np.s_[0:1], "real", np.s_[0:1]), (np.s_[2:4], "real", everything))
    virtual("beside_hole", (2, 2), (np.s_[:, 0], "real", everything))
    virtual("twice", (3,), (np.s_[0:2], "real", everything), (np.s_[1:3], "real", everything))
    virtual("rows", (2, 2), (0, "real", everything), (1, "soft", everything))
    virtual("strided", (4,), (np.s_[0:4:2], "real", everything), (np.s_[1:4:2], "soft", everything))
    frame = f.create_group("frame")
    frame.attrs["pandas_type"], frame.attrs["nblocks"] = np.bytes_("frame"), 1
    frame["axis0"], frame["block0_values"] = np.array([b"p"]), np.array([[1], [2]])
    for name in "items", "values", "axis":
        f.copy("frame", "frame_" + name)
    f["frame/block0_items"] = f["frame_values/block0_items"] = f["frame_axis/block0_items"] = np.array([b"p"])
    f.create_dataset("frame_items/block0_items", (1,), "S1", external=[("in/names.bin", 0, 1)])[:] = b"p"
    f.copy("frame", "frame_times")
    f["frame_times/block0_values"].attrs["value_type"] = "datetime64" # of variable length
    for name, link in ("frame_values", "block0_values"), ("frame_axis", "axis0"):
        del f[name][link]
        f[name][link] = h5py.ExternalLink("s0.h5", "d")
END

# reads DATASET VALUES OPTIONS..: one row of all values.
reads() {
    of=$1 values=$2
    shift 2
    expect 0 "$HEBATCH" encrypt --quiet --force --key keys/secret.h5 "in/t.h5:/$of" t.heb "$@"
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 t.heb -
    [ "$(sed 1d out | tr '\n' ' ')" = "$values " ] || fail "$of is not read as $values"
}
denies() {
    of=$1 code=$2 words=$3
    shift 3
    refuse "$code" "in/t.h5:/$of: $words" "$HEBATCH" encrypt --force --key keys/secret.h5 "in/t.h5:/$of" no.heb "$@"
    absent no.heb no.heb.partial
}

for name in real soft own same; do
    reads $name "1 2"
done
reads packed "$(seq -s ' ' 0 99)"
denies link 65 "takes its data from another file, s0.h5"
denies others 65 "takes its data from another file, s0.h5"
denies raw 65 "takes its data from another file, in/raw.bin"
denies group 65 "takes its data from another file, s1.h5"
denies softlink 65 "takes its data from another file, s0.h5"
denies frame_values 65 "takes its data from another file, s0.h5"
denies frame_axis 65 "takes its data from another file, s0.h5"
denies frame_items 65 "takes its data from another file, in/names.bin"
denies frame_times 65 "a frame of pandas has other attributes than pandas writes"
reads frame "1 2"
reads frame_items "1 2" --follow-files
reads link "1 2" --follow-files
reads softlink "1 2" --follow-files

# Sources of virtual datasets are looked at as they are themselves.
reads of_own "1 2"
reads rows "1,2 1,2"
reads strided "1 1 2 2"
for table in of_others of_of_others; do
    denies $table 65 ".*its source others: takes its data from another file, s0.h5"
    reads $table "1 2 3 4" --follow-files
done
denies of_link 65 "its source link: takes its data from another file, s0.h5"
denies of_softlink 65 "its source softlink: takes its data from another file, s0.h5"
denies of_raw 65 "its source raw: takes its data from another file, in/raw.bin"
for table in of_link of_softlink; do
    reads $table "1 2" --follow-files
done
reads of_raw "7 8" --follow-files
for table in of_never of_of_never; do
    denies $table 65 ".*its source never: parts of it were never written" --follow-files
done
denies of_scaled 65 "its source scaled: has the attribute scale_factor"
denies of_lacking 65 "its source lacking: has numbers for missing cells that the virtual dataset does not say"
reads of_lacking_said 1 --missing drop
denies of_lzf 65 "its source lzf: is stored through the filter lzf"
denies circle 65 ".*is virtual within itself"
denies of_halves 65 "its source halves: holds values of another type"
denies of_unsigned 65 "its source unsigned: holds values of another type"
for table in hole holes beside_hole; do
    denies $table 65 "is virtual, and parts of it have no source"
done
denies twice 65 "is virtual, and parts of it have several sources"

# Attributes that say what numbers mean, of another shape or type than that takes, are never passed over.
"$PYTHON" - <<'END' || fail "no attributes"
import h5py, numpy as np
odd = {"scale_factor": ["0.1", [1.0, 10.0], [1.0, 1.0], np.nan, h5py.Empty("f8"), np.array([], "f8"), np.True_],
       "add_offset": ["3", [0.0, 0.0]],
       "_Unsigned": ["true", np.bytes_("True"), 1, [1, 1], "true ", np.array(b"true", "S20"), np.array([b"true"] * 2),
                     h5py.Empty("S4")],
       "missing_value": ["-999", np.bytes_("-999"), [-999, 3], h5py.Empty("i4")], "_FillValue": ["3", [3, 2]],
       "valid_range": ["0,3", 0, [0, 3, 5]], "valid_min": ["2", [2, 3], 2], "valid_max": ["2", [2, 3], 2]}
with h5py.File("in/odd.h5", "w") as f:
    for word, values in odd.items():
        for i, value in enumerate(values):
            f.create_dataset(f"{word}.{i}", data=np.array([1, 2, 3], "i4")).attrs[word] = value
    for name, value in ("false", "False"), ("padded", np.array(b"false", "S20")):
        f.create_dataset(name, data=np.array([1, 2], "i4")).attrs["_Unsigned"] = value
    print(*(name for name in f if "." in name), file=open("odd", "w"))
    f["d"] = np.array([5, 6], "i4")
for inner, outer in ("odd", "second"), ("second", "third"):
    with h5py.File(f"in/{outer}.h5", "w") as f:
        layout = h5py.VirtualLayout(shape=(2,), dtype="i4")
        layout[:] = h5py.VirtualSource(f"{inner}.h5", "d", shape=(2,))
        f.create_virtual_dataset("d", layout, fillvalue=0)
END
[ "$(wc -w <odd)" = 32 ] || fail "not all attributes"
for name in $(cat odd); do
    refuse 65 "in/odd.h5:/$name: \(has the attribute\|column '1': its attribute\|row [1-3], column 1: the value is\)" \
        "$HEBATCH" encrypt --key keys/secret.h5 "in/odd.h5:/$name" no.heb
    absent no.heb
done
for name in false padded; do
    expect 0 "$HEBATCH" encrypt --quiet --force --key keys/secret.h5 "in/odd.h5:/$name" t.heb
done
# A virtual dataset of a virtual one names the file that is not there.
expect 0 "$HEBATCH" encrypt --quiet --force --key keys/secret.h5 --follow-files in/third.h5:/d t.heb
mv in/odd.h5 in/gone.h5
refuse 66 "its data is in odd.h5, which is not there" \
    "$HEBATCH" encrypt --key keys/secret.h5 --follow-files in/third.h5:/d no.heb
absent no.heb

# Names of any length.
refuse 66 "in/t.h5: has no dataset '/000" "$HEBATCH" encrypt --key keys/secret.h5 "in/t.h5:/$(printf %05000d 0)" no.heb
long=$(printf round/%.0s $(seq 700))
reads "${long}in" "1 2"
refuse 65 "takes its data from another file, s0.h5" \
    "$HEBATCH" encrypt --force --key keys/secret.h5 "in/t.h5:/${long}out" no.heb
reads others "1 2 3 4" --follow-files
# Where it looks for them nobody else says.
mkdir others
for i in 0 1; do
    h5table others/s$i.h5 d '[9, 9]'
done
(
    export HDF5_VDS_PREFIX="$PWD/others" HDF5_EXT_PREFIX="$PWD/others"
    reads others "1 2 3 4" --follow-files
    reads link "1 2" --follow-files
) || exit
reads raw "7 8" --follow-files
reads open "7 8" --follow-files
reads group "1,3 2,4" --follow-files
denies chunks 65 "parts of it were never written"
denies never 65 "parts of it were never written"
denies scaled 65 "has the attribute scale_factor"
denies moved 65 "has the attribute add_offset"
reads filled "1 2" # and no -9
denies lacking 65 "row 2, column 1: the value is one that stands for missing cells (_FillValue, missing_value or a fill value); read with --missing mask; mask skips"
reads lacking 1 --missing drop
denies lzf 65 "is stored through the filter lzf, number 32000"

# A fill value that somebody said stands in cells that were never written, also where a part of their block was. 0 is a
# cell, and so are netCDF's fill values of bytes.
"$PYTHON" -c 'import h5py
with h5py.File("in/t.h5", "a") as f:
    for name, kind, fill, how in [("part", "i2", -999, {}), ("chunk", "i4", 7, {"chunks": (4,)}), ("zero", "i4", 0, {}),
                                  ("byte", "i1", -127, {}), ("ubyte", "u1", 255, {}), ("ubyte9", "u1", 9, {}),
                                  ("real", "f4", -2.5, {})]:
        f.create_dataset("fill_" + name, (4,), kind, fillvalue=fill, **how)[:3] = [5, 0, 6]' || fail "no fill values"
for fill in part chunk ubyte9; do
    denies fill_$fill 65 "row 4, column 1: the value is one that stands for missing cells"
    reads fill_$fill "5 0 6" --missing drop
    reads fill_$fill "5 0 6 8" --missing 8
done
reads fill_real "5 0 6" --scale column1=1 --missing drop
reads fill_zero "5 0 6 0"
reads fill_byte "5 0 6 -127"
reads fill_ubyte "5 0 6 255"

# One more number than there is room for, the fill value, is not dropped: cells would be read as it.
"$PYTHON" -c 'import h5py, numpy as np
with h5py.File("in/t.h5", "a") as f:
    f.create_dataset("nine", data=np.array([1, -32767], "i2"), fillvalue=-32767)
    f["nine"].attrs["missing_value"] = np.arange(2, 10, dtype="i2")' || fail "no table with nine numbers"
denies nine 65 "column '1': more than 8 numbers stand for missing cells"

# Attributes that cannot be found are not none.
"$PYTHON" - <<'END'
import h5py, numpy as np
with h5py.File("torn.h5", "w", libver="v110") as f:
    many = f.create_dataset("many", data=np.array([1, 2], "i4"))
    for i in range(20):
        many.attrs[f"a{i}"] = i
    many.attrs["scale_factor"] = 0.5
torn = open("torn.h5", "rb").read()
open("in/torn.h5", "wb").write(torn.replace(b"BTHD", b"BTxx"))
END
refuse 65 "many: has the attribute scale_factor" "$HEBATCH" encrypt --key keys/secret.h5 torn.h5:/many no.heb
refuse 65 "many: its attributes cannot be read" "$HEBATCH" encrypt --key keys/secret.h5 in/torn.h5:/many no.heb

# Sources that are cut, too short or gone.
printf 1234 >in/raw.bin
denies open 66 "its data is in in/raw.bin, which is not there or is cut off" --follow-files
denies raw 66 "its data is in in/raw.bin, which is not there or is cut off" --follow-files
"$PYTHON" -c 'import h5py; h5py.File("in/s1.h5", "w")["d"] = [2]'
denies others 66 "its data is in s1.h5, which is not there or is cut off" --follow-files
head -c 100 in/s0.h5 >cut && mv cut in/s1.h5
denies others 66 "its data is in s1.h5, which is not there or is cut off" --follow-files
rm in/s1.h5
denies others 66 "its data is in s1.h5, which is not there or is cut off" --follow-files

# A pipe or a device where a link, a source or other data should be is refused at once, by its name, followed or not;
# also behind another link, and through a symbolic one.
mkfifo in/pipe.h5
ln -s pipe.h5 in/way.h5
ln -s /dev/zero in/zero.h5
"$PYTHON" - <<'END' || fail "no links to pipes"
import h5py, os
with h5py.File("in/s2.h5", "w") as f:
    f["d"] = h5py.ExternalLink("pipe.h5", "d")
with h5py.File("in/t.h5", "a") as f:
    here = os.getcwd() + "/in/"
    for name, file in ("pipe", "pipe.h5"), ("way", "way.h5"), ("zero", "zero.h5"), ("whole", here + "pipe.h5"):
        f[name] = h5py.ExternalLink(file, "d")
    f["cwd"], f["far"] = h5py.ExternalLink("in/pipe.h5", "d"), h5py.ExternalLink("s2.h5", "d")
    for name, file in ("of_pipe", "pipe.h5"), ("of_way", "way.h5"), ("of_far", "s2.h5"):
        layout = h5py.VirtualLayout(shape=(2,), dtype="i4")
        layout[:] = h5py.VirtualSource(file, "d", shape=(2,))
        f.create_virtual_dataset(name, layout, fillvalue=0)
    f.create_group("pipes")["a"] = h5py.ExternalLink("pipe.h5", "d")
    for name in "pipe.h5", "way.h5", "zero.h5":
        f.create_dataset("raw_" + name[:-3], (2,), dtype="i4", external=[("in/" + name, 0, 8)])
END
denies pipe 65 "takes its data from another file, pipe.h5"
for name in pipe way zero whole cwd far of_pipe of_way of_far pipes raw_pipe raw_way raw_zero; do
    code=0
    timeout 20 "$HEBATCH" encrypt --quiet --key keys/secret.h5 --follow-files "in/t.h5:/$name" no.heb >out 2>err || code=$?
    [ $code = 66 ] || fail "exit code $code, not 66, of $name"
    grep -q "takes its data from .*\(pipe\|way\|zero\).h5, which is not a regular file" err || fail "$name: $(cat err)"
    absent no.heb no.heb.partial
done

# Where a file does not answer, the process that waits for it is confined, ends with the job that started it, and does
# not keep that from ending. Here somebody has a lease on the file of a link, and does not give it back.
"$PYTHON" -c 'import h5py
h5py.File("in/leased.h5", "w")["d"] = [1, 2]
h5py.File("in/t.h5", "a")["leased"] = h5py.ExternalLink("leased.h5", "d")'
for signal in TERM KILL; do
    "$PYTHON" - "$HEBATCH" $signal <<'END_OF_PROGRAM' || fail "SIG$signal and a reader that waits"
import fcntl, signal, subprocess, sys, time
from pathlib import Path
signal.signal(signal.SIGIO, signal.SIG_IGN)
leased = open("in/leased.h5", "r+b")
fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_WRLCK)
job = subprocess.Popen([sys.argv[1], "encrypt", "--quiet", "--key", "keys/secret.h5", "--follow-files", "in/t.h5:/leased", "no.heb"])
def status(pid):
    try:
        return dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    except OSError:
        return {"State": "X"}
def wait_for(what):
    for _ in range(600):
        found = what()
        if found:
            return found
        time.sleep(0.1)
    sys.exit("nothing came of it")
def reader():
    for of in Path("/proc").glob("[0-9]*"):
        of = status(of.name) | {"pid": of.name}
        # With its two threads it is confined.
        if of.get("PPid") == str(job.pid) and of["State"][0] in "SD" and of.get("Threads") == "2":
            return of
of = wait_for(reader)
confined = of.get("Seccomp") == "2" and of["NoNewPrivs"] == "1"
job.send_signal(getattr(signal, "SIG" + sys.argv[2]))
code = job.wait(timeout=60)
wait_for(lambda: status(of["pid"])["State"][0] in "XZ")
sys.exit(not confined or code == 0)
END_OF_PROGRAM
    absent no.heb
done
