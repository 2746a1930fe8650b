"""The answers of all verbs, as frozen records that renderers take."""
