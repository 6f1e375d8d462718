"""How text is read, once for all: Markdown as blocks, blocks as sentences, and their words."""
