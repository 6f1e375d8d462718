"""Wire formats that several providers share; a provider adds only what is its own."""
