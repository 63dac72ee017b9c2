"""Citations in the shapes that other programs know, and back. Pure: no call is made here.

A shape names a place in a text; what proves it is the stored version. So every way back gives a place to resolve or a
quotation to verify, never a claim.
"""
