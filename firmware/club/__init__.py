"""Many tables: each tells its sessions over MQTT, and a hub keeps them and shows the club's evening on one page.

The libraries of this package (paho-mqtt, psycopg) come with ``pip install 'cardtable[club]'`` and are imported in
`wires` and `database` alone, when they are needed: a table without a club runs without them.
"""

from __future__ import annotations
