"""Models: any OpenAI-compatible server, the wrappers around one, and public fakes. Import from the modules."""
