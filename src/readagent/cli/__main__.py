"""`python -m readagent.cli` is `readagent`."""

from readagent.cli import main

main()
