"""The family forest of a run: who descends from whom, as rows that a pane can draw; pure, of any ledger.

`Forest` is the structure, which changes only when a candidate is admitted. States, ratings and shares are
read from the entrants when asked for, so that a live run needs no new forest for every match.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from arena_tui.console.family import HUES, Founder, Key, Node, Row, Share, Show, letters_of
from arena_tui.console.ledger import Entrant, Ledger


class Forest:
    """All trees of a group (None: of the run, group after group), `nodes` depth-first under first parents.

    Siblings and founders stand in admission order. `columns` is the number of generations,
    `has_lineage` false when no candidate names a parent.
    """

    def __init__(self, ledger: Ledger, group: str | None = None) -> None:
        self.nodes: list[Node] = []
        self.founders: list[Founder] = []
        self.has_lineage = False
        self._by_key: dict[Key, Node] = {}
        everywhere = ledger.playing if ledger.rules.dealt else ledger.groups.values()
        boards = everywhere if group is None else [ledger.groups[group]]
        for board in boards:
            self._plant(board.id, board.entrants)
        self.columns = 1 + max((node.column for node in self.nodes), default=0)

    def find(self, key: Key) -> Node | None:
        """The node of a candidate or of a missing parent."""
        return self._by_key.get(key)

    def title(self, group: str, id_: str) -> str:
        """The title of a candidate, for one that there is not its id and a word; not cleaned."""
        node = self._by_key.get((group, id_))
        return f"{id_} (missing)" if node is None or node.entrant is None else node.entrant.title

    def shares(self) -> list[Share]:
        """What each founder holds of the candidates of its group that play; founders in order."""
        living = {id(founder): 0 for founder in self.founders}
        total: dict[str, int] = {}
        for node in self.nodes:
            entrant = node.entrant
            if entrant is not None and entrant.plays:
                living[id(node.founder)] += 1
                total[node.group] = total.get(node.group, 0) + 1
        return [
            Share(each, living[id(each)], living[id(each)] / max(1, total.get(each.node.group, 0)))
            for each in self.founders
        ]

    def rows(
        self,
        folded: Collection[Key] = (),
        show: Show = "all",
        lineage: Founder | None = None,
        words: str = "",
    ) -> list[Row]:
        """The rows in sight. Whoever is asked for keeps its ancestors, so that no branch hangs in the air.

        `show` "lineage" takes `lineage`'s tree alone. `words` must all be in the title, id or system;
        while there are some, nothing counts as folded.
        """
        nodes = self.nodes
        first, end = 0, len(nodes)
        if show == "lineage" and lineage is not None:
            first, end = lineage.node.place, lineage.node.place + lineage.node.size
        wanted = words.casefold().split()
        asked = kept = None
        if wanted or show == "alive":
            asked = [_asked(node, show, wanted) for node in nodes[first:end]]
            kept = list(asked)
            for node in reversed(nodes[first:end]):
                if kept[node.place - first] and node.under is not None and node.under.place >= first:
                    kept[node.under.place - first] = True
        rows: list[Row] = []
        at_node: dict[int, Row] = {}
        at = first
        while at < end:
            node = nodes[at]
            if kept is not None and not kept[at - first]:
                at += node.size
                continue
            up = at_node.get(node.under.place) if node.under is not None else None
            row = at_node[at] = Row(node, up, context=asked is not None and not asked[at - first])
            rows.append(row)
            if up is not None:
                if up.newest is not None:
                    up.newest.last = False
                up.newest = row
            if node.size > 1 and not wanted and node.key in folded:
                row.hidden = (
                    node.size - 1 if kept is None else sum(kept[at - first + 1 : at - first + node.size])
                )
                at += node.size
            else:
                at += 1
        return rows

    # --- growing -----------------------------------------------------------------------------------

    def _plant(self, group: str, entrants: Iterable[Entrant]) -> None:
        known = {each.id: Node(group, each.id, each) for each in entrants}
        missing: dict[str, Node] = {}
        for node in known.values():
            parents = node.entrant.parent_ids if node.entrant is not None else ()
            if parents:
                self.has_lineage = True
                first = parents[0]
                if first in known:
                    node.under = known[first]
                else:
                    node.under = missing.setdefault(first, Node(group, first, None))
        _cut_circles(known.values())
        roots: list[Node] = []
        for node in known.values():
            if node.under is not None:
                if node.under.entrant is None and not node.under.below:
                    roots.append(node.under)
                node.under.below.append(node)
            else:
                roots.append(node)
            parents = node.entrant.parent_ids if node.entrant is not None else ()
            if len(parents) > 1 or (parents and node.under is None):
                shown = None if node.under is None else node.under.id
                node.others = tuple(parent for parent in dict.fromkeys(parents) if parent != shown)
        start = len(self.nodes)
        for number, root in enumerate(roots):
            self._found(Founder(letters_of(number), number % HUES, root))
        for node in reversed(self.nodes[start:]):
            if node.under is not None:
                node.under.size += node.size
        _set_columns(self.nodes[start:], known)

    def _found(self, founder: Founder) -> None:
        self.founders.append(founder)
        waiting = [founder.node]
        while waiting:
            node = waiting.pop()
            node.founder, node.place = founder, len(self.nodes)
            self.nodes.append(node)
            self._by_key[node.group, node.id] = node
            waiting.extend(reversed(node.below))


def _asked(node: Node, show: Show, words: list[str]) -> bool:
    entrant = node.entrant
    if show == "alive" and (entrant is None or not entrant.plays):
        return False
    if not words:
        return True
    text = node.id if entrant is None else f"{entrant.title} {node.id} {entrant.system or ''}"
    text = text.casefold()
    return all(word in text for word in words)


def _cut_circles(nodes: Iterable[Node]) -> None:
    """Bad data may make somebody their own ancestor: the earliest admitted of a circle becomes a founder."""
    walks: dict[int, int] = {}  # id of a node -> the walk that came by first
    for walk, start in enumerate(nodes):
        node: Node | None = start
        while node is not None and id(node) not in walks:
            walks[id(node)] = walk
            node = node.under
        if node is None or walks[id(node)] != walk:
            continue
        circle = [node]
        while (above := circle[-1].under) is not None and above is not node:
            circle.append(above)
        min(circle, key=lambda each: each.entrant.number if each.entrant is not None else -1).under = None


def _set_columns(nodes: list[Node], known: dict[str, Node]) -> None:
    """The longest path from a founder over all known parents; an edge that closes a circle is left out."""
    waits: dict[int, int] = {}
    heirs: dict[str, list[Node]] = {}
    ready: list[Node] = []
    for node in nodes:
        entrant = node.entrant
        if entrant is None:
            stored = [below.entrant.generation for below in node.below if below.entrant is not None]
            node.column = max(0, min(stored, default=0) - 1)
            continue
        node.column = entrant.generation
        if node.under is not None and node.under.entrant is None:
            node.column = max(node.column, 1)
        parents = (
            [] if node.under is None else [id_ for id_ in dict.fromkeys(entrant.parent_ids) if id_ in known]
        )
        for parent in parents:
            heirs.setdefault(parent, []).append(node)
        waits[node.place] = len(parents)
        if not parents:
            ready.append(node)
    done: set[int] = set()
    at = 0
    while True:
        while ready:
            node = ready.pop()
            done.add(node.place)
            for heir in heirs.get(node.id, ()):
                if heir.place in done:
                    continue
                heir.column = max(heir.column, node.column + 1)
                waits[heir.place] -= 1
                if not waits[heir.place]:
                    ready.append(heir)
        while at < len(nodes) and (nodes[at].entrant is None or nodes[at].place in done):
            at += 1
        if at == len(nodes):
            break
        ready.append(nodes[at])  # all that it waits for is in a circle; its own parent in the tree is done
