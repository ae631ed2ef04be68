"""Charts as pictures in a notebook."""

from __future__ import annotations

from base64 import b64encode

from glassware.charts.backend import Spec, alt
from glassware.charts.save import png, styled, title_of

NAME = "glassware"


def in_notebook(scale: float = 1) -> None:
    """From now on a notebook shows charts in the house style, as PNG pictures that are stored with it.

    Otherwise Altair draws them in the reader's browser, with scripts from the network and a look of its own.

    Args:
        scale: pixels per point.
    """

    def render(spec: Spec) -> dict[str, str]:
        picture = b64encode(png(styled(spec), scale)).decode()
        return {"image/png": picture, "text/plain": title_of(spec) or "a chart"}

    alt.renderers.register(NAME, render)  # type: ignore[arg-type]
    alt.renderers.enable(NAME)
    alt.theme.enable("default")
