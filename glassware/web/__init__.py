"""The page of ``glassware open``: a store looked at in a browser, on this machine alone.

It reads, and never trains or writes. No request leaves the machine: scripts and styles are files of this package. Every
page is whole HTML with addresses of its own, so that it works by keyboard, and a script only draws figures and brings
what is new.
"""
