"""The offline reader, and GGUF files run on this computer."""

import os

# On two busy cores, two threads are slower than one. numpy reads this when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", str(max(1, (os.cpu_count() or 2) - 1)))
