import pytest

from glassware.foundation.errors import GlasswareError
from glassware.foundation.limits import DEEPEST, check_counts, check_depth, check_runs


def nested(depth):
    table = {"a": 1}
    for _ in range(depth - 1):
        table = {"a": table}
    return table


def test_counts_are_from_one_to_what_can_be_meant():
    check_counts(seeds=1, lanes=None, folds=10**9)
    check_counts(seeds=1_000_000, lanes=1_048_576)
    for given, said in (
        ({"seeds": 0}, "seeds must be at least 1, not 0"),
        ({"seeds": 1_000_001}, "seeds must be at most 1,000,000, not 1000001"),
        ({"lanes": 10**9}, "lanes must be at most 1,048,576, not 1000000000"),
        ({"budget": 10**7}, "budget must be at most 1,000,000"),
        ({"seeds": 10**5000}, "not a number of thousands of digits"),
    ):
        with pytest.raises(GlasswareError, match=said):
            check_counts(**given)


def test_a_plan_is_counted_before_it_is_built():
    check_runs([2, 1_000_000], "the grid")
    check_runs([0, 10**5000], "the grid")
    with pytest.raises(GlasswareError, match="the grid has 3,000,000 runs, more than 2,000,000; split it"):
        check_runs([3, 1_000_000], "the grid")
    with pytest.raises(GlasswareError, match="far too many runs"):
        check_runs([10**5000, 10], "the grid")


def test_tables_are_only_so_deep():
    check_depth(nested(DEEPEST))
    for deep in (nested(DEEPEST + 1), nested(100_000), {"a": [[nested(DEEPEST)]]}):
        with pytest.raises(GlasswareError, match="nested more than 32 deep"):
            check_depth(deep)


def test_a_table_within_itself_ends():
    table = {}
    table["a"] = table["b"] = table
    with pytest.raises(GlasswareError, match="nested"):
        check_depth(table)
