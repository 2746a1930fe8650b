"""Files under .git/search: the record, the vector matrix, sealed sections, the lock."""
