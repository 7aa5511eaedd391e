"""Mind2Web: methods predict the next step of a task on a recorded page, measured as in the reference evaluation."""
