"""``cardtable rejudge``: finds the items, has them judged, shows how far it is, writes the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .items import Item, find_items
from .judge import Outcome
from .orders import Order, model_of, parse_house
from .pool import cluster, here, judge_all
from .report import item_row, summary, write_report, writer_of


def rejudge(
    folders: Sequence[Path],
    *,
    house: Sequence[str],
    model: str,
    scheduler: str,
    target: Path,
    form: str,
    hard: bool,
    say: Callable[[str], Any],
    each: Callable[[dict[str, Any]], Any],
) -> bool:
    """Judge everything below ``folders`` again; whether all of it could be judged and was as before where it should be.

    ``say``: lines for people; ``each``: called with every item's row, in order. With a house rule or a model asked for,
    changes are the answer and no fault.

    :raises ConfigError, ModelError, OSError: if it cannot be begun; one line each.
    """
    writer_of(form)
    pool = cluster(scheduler) if scheduler else here
    order = Order(version("cardtable"), parse_house(house), *model_of(model), hard)
    items = find_items(folders)
    with _progress(items) as progress:
        task = progress.add_task("", total=len(items))

        def done(outcome: Outcome) -> None:
            progress.update(task, advance=1, description=outcome.item[-40:])

        outcomes = judge_all(items, order, target, pool, done)
    paths = write_report(target, outcomes, form)
    for outcome in outcomes:
        each(item_row(outcome))
    for line in [*summary(outcomes), f"written: {', '.join(map(str, paths))}"]:
        say(line)
    asked = bool(order.house or order.model)
    return not any(outcome.trouble or (outcome.changes and not asked) for outcome in outcomes)


def _progress(items: Sequence[Item]) -> Progress:
    """A bar on standard error, where that is a terminal."""
    columns = (
        TextColumn("judged again"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal or not items)
