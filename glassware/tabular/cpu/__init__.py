"""A kernel for the networks of tables on CPU cores, compiled by Numba when it is first used."""
