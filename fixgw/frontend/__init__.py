"""The front end: accepts or refuses each message before the journal."""
