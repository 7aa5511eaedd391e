"""Mind2Web: one step of a task on a recorded page, predicted by several methods and measured as its authors do."""
