"""The estimators beside other methods: on the paper's sixteen tables by its protocol, and on a table of your own."""
