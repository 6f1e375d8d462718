"""Code in colours and formulas as MathML, for the page: pure, bounded, and no markup of strangers.

What comes out are numbers, names of ours and text, of which a page makes elements itself.
"""
