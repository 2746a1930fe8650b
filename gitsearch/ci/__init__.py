"""The steps of the GitHub Action: find the change of a pull request, report on it, comment on it.

All logic of the Action is here, so that each of its steps can be run anywhere.
"""
