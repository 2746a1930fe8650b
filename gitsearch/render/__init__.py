"""Reports to text, JSON and progress: the only place that prints."""
