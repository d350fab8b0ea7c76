"""The rooms joined into what the commands do; knows nothing of terminals."""
