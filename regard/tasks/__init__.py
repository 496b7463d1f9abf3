"""What a network is for: batch → loss, texts → predictions, and which measures say how good they are."""
