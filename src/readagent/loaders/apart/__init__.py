"""Reading untrusted files safely: in a process apart, with limits; archives that are unpacked with a count."""
