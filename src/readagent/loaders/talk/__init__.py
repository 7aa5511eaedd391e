"""What people said: turns, times and the many forms of conversations."""
