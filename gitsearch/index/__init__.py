"""From a tree to a view: update the record, compile segments, open views."""
