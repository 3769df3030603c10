"""The page that every phone in the room can open."""
