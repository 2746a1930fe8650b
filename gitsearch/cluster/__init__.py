"""Many repositories on the processors of one machine or of several, by way of Ray."""
