"""What the commands print: tables for people."""
