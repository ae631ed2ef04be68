from glassware.progress.edge import FEWEST, Edge


def edge(shares, runs=10, **fixed):
    """After runs of which these shares succeed, by value of m."""
    made = Edge()
    for m, share in shares.items():
        for i in range(runs):
            made.on_row({"m": m, "success": i < share * runs, **fixed})
    return made


def test_it_is_between_neighbours_of_which_one_half_fails_and_one_half_succeeds():
    assert edge({1000: 0.9, 100: 0.0, 300: 0.4}, width=8).words() == "edge so far m 300 to 1,000"
    assert edge({1000: 0.2, None: 1.0}).words() == "edge so far m 1,000 to online"
    assert edge({100: 0.9, 300: 0.1}).words() == "edge so far m 100 to 300"  # more may also be worse


def test_nothing_is_said_of_too_few_runs_or_of_two_places():
    assert edge({100: 0.0, 300: 1.0}, runs=FEWEST - 1).words() == ""
    assert edge({100: 0.0, 300: 1.0, 1000: 0.0}).words() == ""
    assert edge({100: 0.0, 300: 0.1}).words() == ""
    assert Edge().words() == ""


def test_of_several_fields_the_one_with_most_values_is_named():
    made = Edge()
    for m, width, lr in ((100, 10, 0.1), (300, 10, 0.1), (1000, 100, 0.5), (3000, 100, 0.5)):
        for _ in range(10):
            made.on_row({"m": m, "width": width, "lr": lr, "s": None, "success": m >= 1000})
    assert made.words() == "edge so far m 300 to 1,000"
