"""What every verb answers, as frozen records that renderers take."""
