"""What ``show`` says about networks whose margin is normalised: which irrep or which inputs each neuron has."""

import numpy as np
import pytest

import glassware as gw
from glassware.api.networks import Network
from glassware.api.neurons import describe, neurons_chart
from glassware.theory.margins.groups import named
from glassware.theory.margins.networks import maxmargin_cyclic, maxmargin_group, maxmargin_parity


def kept(task, model, *layers):
    """A network with these weights, as if a run had kept it."""
    run = gw.Run(task=task, model=model, steps=100, evaluation=gw.Evaluation(test=10))
    return Network(run, "final", tuple({k: np.asarray(v, np.float32) for k, v in layer.items()} for layer in layers))


def of_group(name, network):
    model = gw.GroupNet(width=len(network.w))
    return kept(gw.GroupMultiplication(group=name), model, {"u": network.u, "v": network.v}, {"w": network.w})


def test_a_group_network_is_a_function_of_pairs():
    net = of_group("S_3", maxmargin_group(named("S_3")))
    inputs, targets = net.examples()
    assert inputs.shape == (36, 2)
    assert np.array_equal(net(inputs).argmax(axis=1), targets)


def test_shares_are_those_of_the_norms_power():
    network = maxmargin_group(named("S_3"))
    shares = of_group("S_3", network).shares()
    lengths = np.sqrt((network.u**2).sum(0) + (network.v**2).sum(0) + (network.w**2).sum(1))
    np.testing.assert_allclose(shares, lengths**3 / (lengths**3).sum(), rtol=1e-5)
    parity = maxmargin_parity(5, 3)
    net = kept(gw.CubeParity(n=5, k=3), gw.PowerNet(width=4, degree=3), {"w": parity.u}, {"w": parity.w})
    np.testing.assert_allclose(net.shares(), np.full(4, 0.25), rtol=1e-5)


def test_words_name_the_irrep_of_each_side():
    said = describe(of_group("Z_7", maxmargin_cyclic(7)))
    assert said.titles == ("u", "v", "w")
    assert [said.words(i) for i in (0, 8, 16)] == [(f"frequency {k}: 100.0%",) * 3 for k in (1, 2, 3)]
    network = maxmargin_group(named("S_3"))
    mixed = network._replace(v=network.v[:, ::-1])  # the sides of the first neuron are in different irreps
    assert describe(of_group("S_3", mixed)).words(0) == ("(2,1): 100.0%", "(1,1,1): 100.0%", "(2,1): 100.0%")


def test_words_name_the_largest_weights_of_a_parity_network():
    parity = maxmargin_parity(5, 2)
    net = kept(gw.CubeParity(n=5, k=2), gw.PowerNet(width=2, degree=2), {"w": parity.u}, {"w": parity.w})
    inputs, outputs = describe(net).words(0)
    assert {word.split(":")[0] for word in inputs.split(", ")[:2]} == {"0", "1"}
    assert len(outputs.split(", ")) == 2


@pytest.mark.parametrize(
    ("name", "curves"), [("Z_7", True), ("S_3", False)], ids=["waves on a cycle", "dots on another group"]
)
def test_the_picture_has_the_strongest_neurons(name, curves):
    network = maxmargin_cyclic(7) if curves else maxmargin_group(named(name))
    drawn = neurons_chart(of_group(name, network)).to_dict()
    assert len(drawn["vconcat"]) == 4
    marks = {layer["mark"]["type"] for layer in drawn["vconcat"][0]["hconcat"][0]["layer"]}
    assert marks == ({"line", "point"} if curves else {"point"})


def test_a_run_that_kept_its_weights_is_shown_with_its_neurons(tmp_path, capsys):
    run = gw.Run(
        task=gw.GroupMultiplication(group="Z_5"), model=gw.GroupNet(width=8), batch="full", steps=20,
        evaluation=gw.Evaluation(every=10, test=25, stop=False), probes=("margin",), keep=("final",),
    )  # fmt: skip
    chart = gw.show(gw.train(run, tmp_path), store=tmp_path).to_dict()
    assert len(chart["vconcat"]) == 2
    said = capsys.readouterr().out
    assert "margin_ratio" in said
    assert "frequency" in said
