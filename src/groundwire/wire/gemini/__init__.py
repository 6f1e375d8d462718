"""generateContent and Interactions, as requests and replies."""
