"""One file, one game. A game is found by listing this folder."""
