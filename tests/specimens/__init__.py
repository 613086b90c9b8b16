"""Published mistakes, each with the promise it was published with. The auditor must catch every one.

Each module defines ``CASES``; ``sfumato audit tests/specimens`` shows them in one table.
"""
