"""Everything at the table that is not looking at pixels: referee, panel, journal, page, and what wires them."""
