"""From a query and a view to ranked chunks."""
