"""`python -m readagent` is `readagent`."""

from readagent.cli import main

main()
