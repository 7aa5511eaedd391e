"""The offline reader, and GGUF files run on this computer."""

import os

# The encoder has threads of its own; more within a product of small matrices only wait for each other, and their number
# could change the last digit of a result. numpy reads this when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
