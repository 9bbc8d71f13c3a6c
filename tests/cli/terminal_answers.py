"""terminal_answers.py ANSWER... -- COMMAND...: runs it with a terminal of its own, on which each question, what is written
up to a ": " that nothing follows, is answered by the next ANSWER, with escapes as in a Python text, and Enter. Fails if
answers are echoed or left. Its exit code is that of the command."""
import os, pty, sys

cut = sys.argv.index("--")
answers, command = [a.encode().decode("unicode_escape").encode() for a in sys.argv[1:cut]], sys.argv[cut + 1:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)
seen, answered, left = b"", 0, list(answers)
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:  # the other end is closed
        break
    if not part:
        break
    seen += part
    if seen.endswith(b": ") and len(seen) > answered and left:
        answered = len(seen)
        os.write(terminal, left.pop(0) + b"\r")
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.stdout.buffer.write(seen)
assert not left, "the command did not ask so often"
assert not any(answer in seen for answer in answers), "an answer was echoed"
sys.exit(code)
