"""Token counts where a server gave none: of a stream that was cut, or from a server that never counts.

They are booked as spent, so they lean high: three bytes of UTF-8 a token, where English has about four
and Chinese about three or more in the tokenizers of the large vendors.
"""

from __future__ import annotations

from arena_tui.providers.base import Request

BYTES_PER_TOKEN = 3


def estimated_tokens(text: str) -> int:
    """About how many tokens `text` is, rather too many than too few."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def estimated_input(request: Request) -> int:
    """About how many tokens the texts of a request are; tools and schemas by their source text."""
    texts = [part.text for part in request.system]
    for message in request.messages:
        texts.append(message.text)
        texts += [call.name + call.arguments for call in message.tool_calls]
        texts += [result.text for result in message.tool_results]
    texts += [f"{tool.name} {tool.description} {tool.schema}" for tool in request.tools]
    if request.json_schema is not None:
        texts.append(str(request.json_schema))
    return sum(estimated_tokens(text) for text in texts)
