"""Running a study: cells, journal, worker processes."""
