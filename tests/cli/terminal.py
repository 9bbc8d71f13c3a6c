"""terminal.py COLUMNS COMMAND...: runs it with stderr on a terminal that is so wide; fails if any line that is drawn there
would wrap, or if no line of progress was drawn. Its exit code is that of the command."""
import fcntl, os, pty, re, struct, subprocess, sys, termios

columns, command = int(sys.argv[1]), sys.argv[2:]
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
process = subprocess.Popen(command, stderr=theirs)
os.close(theirs)
seen = b""
while True:
    try:
        part = os.read(ours, 65536)
    except OSError:  # the other end is closed
        break
    if not part:
        break
    seen += part
drawn = [line for line in re.split(r"\r\x1b\[K|\r?\n", seen.decode()) if re.search(r"\d/\d+", line)]
assert drawn, seen
for line in drawn:
    assert len(line) < columns, (len(line), line)
sys.exit(process.wait())
