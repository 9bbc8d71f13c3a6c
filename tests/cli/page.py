"""page.py check FILE TEXT...: fails unless the file is a page whose elements are closed in order, which loads nothing, runs
nothing, and has each TEXT among what a reader sees.
page.py forge REPORT COUNT: writes so many reports forged-N.report.json that are not what they should be."""
import html.parser, json, random, sys

VOID = {"meta", "br"}
PLAIN = {"html", "head", "body", "title", "style", "h1", "h2", "h3", "p", "dl", "dt", "dd", "div", "table", "tr", "th", "td"}
PLAIN |= {"ul", "li", "i", "b", "code", "svg", "rect", "line", "polyline", "text", "details", "summary"} | VOID
HOSTILE = "</code></td><script>alert(1)</script><img src=x onerror='a()'>\" & \u202e \x1b[2J"


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.numbers = [], [], []

    def handle_starttag(self, tag, attributes):
        assert tag in PLAIN, tag
        for name, value in attributes:
            assert not name.startswith("on") and name not in ("src", "href", "style"), (tag, name)
            if tag in ("rect", "line") and name in ("x", "y", "width", "height", "x1", "x2", "y1", "y2"):
                assert -1 <= float(value) <= 1001, (tag, name, value)
            if name == "points":
                for point in value.split():
                    assert all(0 <= float(number) <= 1000 for number in point.split(",")), point
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.open, self.getpos())

    def handle_data(self, data):
        if "style" in self.open:
            assert "url(" not in data and "@import" not in data, data
        else:
            self.seen.append(data)


def check(path, texts):
    text = open(path, encoding="utf-8").read()
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, page.open
    assert not any(ord(c) < 32 and c != "\n" for c in text) and "\u202e" not in text
    seen = "".join(page.seen)
    for wanted in texts:
        assert wanted in seen, wanted


def places(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in items:
        yield from places(member, path + (key,))


def forge(path, count):
    nested = []
    for _ in range(200):
        nested = [nested]
    wrong = [HOSTILE, HOSTILE * 3000, None, True, -1, 2**62, 1e308, -1e308, 5e-324, [], {}, [HOSTILE] * 500, nested]
    wrong += [{HOSTILE + str(i): i for i in range(100)}, [{"busy": {"read": 1e308, HOSTILE: -1}}] * 600, [[], {}, 1, "a"]]
    wrong += [[{"proven": 1e308, "expected": -1e308}, {"proven": "x"}, 7] * 700]
    chance = random.Random(20)
    for n in range(count):
        report = json.load(open(path))
        for place in chance.sample([p for p in places(report) if p], 1 + n % 4):
            at = report
            for key in place[:-1]:
                at = at[key] if isinstance(at, dict) and key in at or isinstance(at, list) and isinstance(key, int) and key < len(at) else {}
            if isinstance(at, dict) and place != ("report_version",) and place != ("command",):
                at[place[-1]] = chance.choice(wrong)
            elif isinstance(at, list) and isinstance(place[-1], int) and place[-1] < len(at):
                at[place[-1]] = chance.choice(wrong)
        if n == 0:  # whatever chance does: lists that the page cuts short
            report["warnings"] = [HOSTILE] * 500
            report["outputs"] = [{"name": HOSTILE, "rows": -1}] * 600
        json.dump(report, open(f"forged-{n}.report.json", "w"))


if sys.argv[1] == "check":
    check(sys.argv[2], sys.argv[3:])
else:
    forge(sys.argv[2], int(sys.argv[3]))
