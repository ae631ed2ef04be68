"""The page of ``glassware play``: ten networks train in front of whoever looks at it.

One child process trains (``child.py``), nothing is kept, and it ends when the page is gone (``session.py``). The page
(``page.py``, ``app.py``) has the frame, the guard and the server of ``web``, which reads and never trains.
"""
