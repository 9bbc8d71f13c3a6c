"""trace.py FILE RANKS [NAME...]: fails unless the file is a trace of so many ranks, whose spans of a thread are within one
another or apart, and which has a span of every NAME; `LANE/NAME` wants it in a thread whose name begins with LANE. With -
in the place of RANKS the file may end anywhere, as that of a job that was killed."""
import json, sys

path, ranks, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
text = open(path).read()
if ranks == "-":
    whole = text[: text.rindex("\n")].rstrip().rstrip(",]")
    events = json.loads(whole + "]")
else:
    events = json.loads(text)
    assert {e["pid"] for e in events} == set(range(int(ranks))), {e["pid"] for e in events}
    named = {e["pid"] for e in events if e["name"] == "process_name"}
    assert len(named) == int(ranks), named
threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
spans = {}
found = set()
for e in events:
    if e["ph"] == "X":
        lane = threads[e["pid"], e["tid"]]
        assert e["ts"] >= 0 and e["dur"] >= 0, e
        spans.setdefault((e["pid"], e["tid"]), []).append((e["ts"], -e["dur"], e["name"]))
        found |= {e["name"], lane.split()[0] + "/" + e["name"]}
assert spans, "a trace without spans"
for thread, of_thread in spans.items():
    open_until = []
    for begun, negative, name in sorted(of_thread):
        end = begun - negative
        while open_until and open_until[-1] <= begun + 0.002:  # times have three digits
            open_until.pop()
        assert not open_until or end <= open_until[-1] + 0.002, (thread, name, begun, end, open_until)
        open_until.append(end)
for name in wanted:
    assert name in found, (name, sorted(found))
