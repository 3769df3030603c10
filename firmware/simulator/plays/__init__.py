"""How simulated people play: one file a game. They know their own hands and what lies open, never the referee."""
