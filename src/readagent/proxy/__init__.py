"""An OpenAI-compatible endpoint in front of a model: what does not fit the window becomes pages, gists and look-up."""
