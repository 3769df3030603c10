"""An archive judged again: recordings and sessions, under another house rule or another reader, and what that changes.

`items` finds what there is, `judge` judges one of it anywhere, `pool` judges them all (here, or on a Dask cluster),
`report` writes what changed. The libraries for clusters and Parquet come with ``pip install 'cardtable[club]'`` and are
imported in `pool` and `report` alone, when they are asked for.
"""

from __future__ import annotations
