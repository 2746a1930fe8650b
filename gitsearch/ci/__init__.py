"""What runs on a pull request: finds the change, reports on it, posts one comment.

All logic of the GitHub Action is here, so that each of its steps can be run anywhere.
"""
