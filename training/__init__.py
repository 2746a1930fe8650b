"""How the embedding model in the wheel is made: pairs from repositories, training, rounding."""
