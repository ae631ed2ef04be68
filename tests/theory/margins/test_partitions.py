from itertools import permutations

import numpy as np
import pytest

from glassware.theory.margins.groups import symmetric
from glassware.theory.margins.partitions import cycle_type, partition_character, partition_label, partitions
from glassware.theory.margins.representations import irreps_symmetric


def test_partitions_in_order():
    assert list(partitions(4)) == [(4,), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1)]
    assert [len(list(partitions(n))) for n in range(1, 9)] == [1, 2, 3, 5, 7, 11, 15, 22]


def test_cycle_types():
    assert cycle_type((1, 0, 2, 4, 5, 3)) == (3, 2, 1)
    assert cycle_type((0,)) == (1,)


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_the_rule_of_hooks_gives_the_traces_of_youngs_matrices(n):
    """Two ways to the characters that share nothing, and neither uses the class sums of ``character_table``."""
    group, every = symmetric(n), list(permutations(range(n)))
    cycles = [cycle_type(every[g]) for g in group.class_elements]
    for partition in partitions(n):
        traces = np.trace(irreps_symmetric(n)[partition_label(partition)][group.class_elements], axis1=1, axis2=2)
        np.testing.assert_allclose([partition_character(partition, c) for c in cycles], traces, atol=1e-9)
