"""Vectors for the similarity of texts, fetched from an endpoint before a run is made.

They are stored with the run's candidates, so that a resumed run needs no endpoint. A candidate that is
added later has none: its similarity to the others is unknown, which counts as 0.
"""

from __future__ import annotations

from collections.abc import Mapping

from arena_tui.candidate import Pool
from arena_tui.errors import JudgeError
from arena_tui.settings import Tournament, similarity_of

Vectors = Mapping[str, tuple[float, ...]]


async def fetch_vectors(tournament: Tournament, pool: Pool) -> Vectors:
    """Text hash to vector for all candidates that can play; nothing unless `similarity` is `endpoint`.

    Raises UsageError for a model that cannot be asked and JudgeError when the endpoint fails.
    """
    chosen = tournament.embeddings
    if similarity_of(tournament) != "endpoint" or chosen is None:
        return {}
    from arena_tui.providers.base import ProviderError
    from arena_tui.providers.targets import Target, open_provider

    target = Target(chosen.model, base_url=chosen.base_url, api_key_env=chosen.api_key_env)
    provider = open_provider(target)
    embed = getattr(provider, "embed", None)
    if embed is None:
        await provider.close()
        raise JudgeError(f"embeddings.model: {chosen.model} has no endpoint for embeddings")
    texts = {c.text_hash: c.text for group in pool.playable for c in group.entrants}
    hashes = list(texts)
    vectors: dict[str, tuple[float, ...]] = {}
    try:
        for start in range(0, len(hashes), chosen.batch):
            part = hashes[start : start + chosen.batch]
            found = await embed([texts[hash_] for hash_ in part])
            vectors.update((hash_, tuple(vector)) for hash_, vector in zip(part, found, strict=True))
    except ProviderError as error:
        raise JudgeError(f"embeddings: {error}") from None
    finally:
        await provider.close()
    return vectors
