import json

from tests.calls import call


def test_info():
    assert set(json.loads(call("info", "--json").stdout)) >= {"glassware", "jax", "devices", "engine"}
    said = call("info").stdout
    for word in ("glassware", "semantics", "jaxlib", "optax", "polars", "device 0", "10,000", "lanes"):
        assert word in said
