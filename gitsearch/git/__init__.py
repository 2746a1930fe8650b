"""Reading git: repositories, trees, blobs, the working tree."""
