"""Which sets of columns say something together that none of them says alone: found by statistics, before training."""
