"""Write, improve, pin, age and merge gists, and choose their sizes."""
