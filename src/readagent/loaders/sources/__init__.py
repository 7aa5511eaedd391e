"""Where documents come from: files, folders and web addresses."""
