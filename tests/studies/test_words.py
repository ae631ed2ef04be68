from glassware.foundation.statistics import NEVER
from glassware.studies.words import counts_in_words, time_in_words


def test_counts_and_times_in_words():
    assert counts_in_words({"dense": (3, 40), "sparse": (38, 40)}.items()) == "dense 3/40; sparse 38/40"
    assert counts_in_words([]) == ""
    assert [time_in_words(t) for t in (1234.4, 0.0, NEVER)] == ["1234", "0", "never"]
