"""The embedded reader: it works offline, and measures where other models talk. Import from the modules."""

import os

# Two threads on two busy cores are slower than one; numpy reads this when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", str(max(1, (os.cpu_count() or 2) - 1)))
