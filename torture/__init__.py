"""Every fault that we promise to survive, through the real server, store and sandbox, counted."""
