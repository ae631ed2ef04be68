"""Theorems of The Evolution of Statistical Induction Heads: In-Context Learning Markov Chains."""
