#!/bin/sh
# The harness calls this before build_task.sh. There is nothing to do: this submission does not use OpenFHE.
exit 0
