"""The protocols, each as two machines that exchange messages."""
