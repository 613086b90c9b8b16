"""Each format of a table: its bytes to Arrow, and back."""
