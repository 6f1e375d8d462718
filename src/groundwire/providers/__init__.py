"""Search, read and model services, one file each; the file's name is the provider's name."""
