"""What mechanisms, attacks and utilities share: matrices, calendars, factors, assignments."""
