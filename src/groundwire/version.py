"""The version, where every layer may read it; the package's metadata are made from this line."""

VERSION = "0.2.0"
