"""Texts written anew: from a private code of public texts, or by a network from a private latent."""
