"""What people said: subtitles, transcripts and chat exports."""
