"""The command line: parse, call a command, render."""
