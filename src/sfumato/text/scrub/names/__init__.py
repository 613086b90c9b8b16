"""What is known of names: lists, places, scripts, and names that were found before."""
