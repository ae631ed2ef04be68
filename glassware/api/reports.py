"""Reports: what a store says about studies and sweeps, as one file to send to somebody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from glassware.api.files import written
from glassware.api.folders import STORE, AnyStore, existing
from glassware.foundation.commands import command
from glassware.foundation.errors import GlasswareError
from glassware.foundation.limits import check_counts
from glassware.foundation.names import check_path
from glassware.studies import STUDIES, Scale, Study, check_scale, find, matching
from glassware.studies.changed import MARK
from glassware.sweeps import Remembered, Store, named, read_sweep_file, recall, remembered

if TYPE_CHECKING:
    from glassware.reports.sections import Section

Format: TypeAlias = Literal["html", "md"]
REPORT, PAGES = "results/report", "results/pages"


def report(
    *names: str | Study,
    scale: str = "laptop",
    store: AnyStore = STORE,
    to: str | Path | None = None,
    format: Format | None = None,
    seeds: int | None = None,
) -> Path:
    """Write a report of studies and sweeps and return its path; trains nothing.

    One HTML file that needs no network: the study's text, its claims beside what was measured, its figures, versions
    and hardware, how to make it again. Or Markdown, with the figures as PNG in a folder beside it.

    Args:
        names: studies, all studies of a paper (``"pareto"``), sweeps by the name in their file, or sweep files.
        scale: of the studies: ``smoke``, ``laptop`` or ``paper``.
        store: folder of results.
        to: the file; ``results/report.html`` unless given.
        format: ``html`` or ``md``; by the file's suffix unless given.
        seeds: runs per cell of the studies to look at; the scale's own number unless given.

    >>> import glassware as gw, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = gw.reproduce("pareto/weight-decay", "smoke", store=folder, figures=None, seeds=1)
    >>> path = gw.report("pareto/weight-decay", scale="smoke", store=folder, to=folder + "/sent.md", seeds=1)
    >>> print(path.read_text().splitlines()[0])
    # pareto/weight-decay
    """
    from glassware.reports.markdown import markdown_report
    from glassware.reports.page import html_report

    check_counts(seeds=seeds)
    size, kept, (path, chosen) = check_scale(scale), existing(store), _place(to, format)
    sections = [section for name in names for section in _sections(name, size, kept, seeds)]
    if not sections:
        raise GlasswareError("a report needs a study or a sweep: name one, as pareto/slices")
    if chosen == "html":
        return written(path, html_report(sections).encode())
    folder = f"{path.stem}-figures"
    text, images = markdown_report(sections, folder)
    for file, image in images.items():
        written(path.parent / folder / file, image)
    return written(path, text.encode())


def report_all(
    scale: str = "laptop",
    store: AnyStore = STORE,
    to: str | Path | None = None,
    format: Format = "md",
    seeds: int | None = None,
    on_page: Callable[[Path], None] = lambda page: None,
) -> Path:
    """Write one page per study and per sweep that a store has, and ``index`` with links to them; return its path.

    Args:
        scale, store, seeds: as for ``report``.
        to: the folder; ``results/pages`` unless given, from where the documentation site takes them (``make docs``).
        format: ``md``, with PNG figures beside the pages, or ``html``, every page for itself.
        on_page: called with the path of every page as it is written.
    """
    from glassware.reports.folder import first_page, page

    check_counts(seeds=seeds)
    size, kept, (_, chosen) = check_scale(scale), existing(store), _place(None, format)
    folder = Path(to or PAGES)
    check_path(folder)
    if folder.is_file():
        raise GlasswareError(f"{folder} is a file; --all writes a folder of pages")
    entries = []
    for section in _everything(size, kept, seeds):
        entry, files = page(section, chosen)
        for place, content in files.items():
            written(folder / place, content)
        entries.append(entry)
        on_page(folder / entry.link)
    if not entries:
        raise GlasswareError(f"{kept.path} holds no study at scale {scale} and no sweep: {command('studies')}")
    return written(folder / f"index.{chosen}", first_page(entries, scale, chosen))


def _everything(scale: Scale, store: Store, seeds: int | None) -> Iterator[Section]:
    """What the store says about every study, every study with something changed, and every sweep."""
    from glassware.reports.sections import study_section, sweep_section

    for study in STUDIES.values():
        if (section := study_section(study, scale, store, seeds)) is not None:
            yield section
    for sweep in remembered(store):
        name, _, at = sweep.name.rpartition("/")
        if MARK in name and at != scale:  # a changed study is remembered for each scale of its own
            continue
        try:
            section = study_section(find(name), scale, store, seeds) if MARK in name else sweep_section(sweep, store)
        except GlasswareError:  # made of parts that are not known here: its rows are
            section = sweep_section(sweep, store)
        if section is not None:
            yield section


def _sections(name: str | Study, scale: Scale, store: Store, seeds: int | None) -> list[Section]:
    from glassware.reports.sections import study_section, sweep_section

    if isinstance(name, str):
        listed = recall(store, name)
        if listed is None and name.endswith(".toml"):
            file = read_sweep_file(name)
            listed = Remembered(file.name, file.title, file.text, tuple(named(file.runs, store)))
        if listed is not None:
            section = sweep_section(listed, store)
            if section is None:
                raise GlasswareError(f"no results of the sweep '{listed.name}' yet: glassware sweep {name}")
            return [section]
    chosen = [name] if isinstance(name, Study) else matching(name)
    found = [study_section(study, scale, store, seeds) for study in chosen]
    there = [section for section in found if section is not None]
    if not there:
        first = chosen[0].name
        said = first if len(chosen) == 1 else f"any study of '{name}'"
        again = command(f"reproduce {first} --scale {scale}")
        raise GlasswareError(f"no results of {said} at scale {scale} yet: {again}")
    return there


def _place(to: str | Path | None, format: Format | None) -> tuple[Path, Format]:
    """The file to write and what goes into it."""
    if format is not None and format not in get_args(Format):
        raise GlasswareError(f"a report is written as {' or '.join(get_args(Format))}, not '{format}'")
    if to is None:
        return Path(f"{REPORT}.{format or 'html'}"), format or "html"
    check_path(to)
    path = Path(to)
    if path.is_dir():
        raise GlasswareError(f"{to} is a folder; name a file, as {Path(to) / 'report.html'}")
    suffix: Format | None = "md" if path.suffix.lower() in (".md", ".markdown") else None
    if format is None and suffix is None and path.suffix.lower() not in (".html", ".htm"):
        raise GlasswareError(f"a report ends in .html or .md, not as {path.name} does; or give --format")
    return path, format or suffix or "html"
