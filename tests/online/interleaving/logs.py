"""Frames of searches, as a search log yields them."""

import polars as pl


def frame(*searches):
    """One row for each (user, teams, clicked ranks), or a mapping with these and other columns."""
    rows = []
    for n, search in enumerate(searches):
        given = search if isinstance(search, dict) else dict(zip(("user", "teams", "clicked"), search, strict=True))
        teams = list(given["teams"])
        rows.append(
            {
                "search": f"s{n}",
                "session": "1",
                "query": "q",
                "variant": None,
                "time": float(n),
                "shown": [f"d{place}" for place in range(len(teams))],
                "clicked_at": [float(place) for place in range(len(given["clicked"]))],
                **given,
                "teams": ["" if team == "-" else team for team in teams],
            }
        )
    lists = {"shown": pl.List(pl.String), "teams": pl.List(pl.String), "clicked": pl.List(pl.Int64)}
    return pl.DataFrame(rows, schema_overrides={**lists, "variant": pl.String, "clicked_at": pl.List(pl.Float64)})
