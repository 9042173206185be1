"""Answer with a language model in place of the rules: it calls a search tool and writes the reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from neraca.demo.criteria import Criteria
from neraca.demo.places import take_places
from neraca.demo.words import Text, normalise

MOST_TOKENS = 4000
MOST_REQUESTS = 5
#: The providers by the names that pydantic-ai has for their protocols.
PROVIDERS = {"openai": "openai-chat", "anthropic": "anthropic", "google": "google"}
INSTRUCTIONS = " ".join(Path(__file__).with_name("instructions.txt").read_text(encoding="utf-8").split())


class ModelError(Exception):
    """The language model gave no reply; the message says why."""


class SearchRequest(Criteria, frozen=True):
    """Search the agency's listings by what the customer asks for; leave out what was not asked."""

    query: str = Field(description="The whole request in one sentence, earlier turns included, for search by meaning.")
    more: bool = Field(default=False, description="True to get others than those shown already in this conversation.")

    def criteria(self) -> Criteria:
        """Return the request as criteria of the search; an unknown place is searched for only by meaning."""
        fields = self.model_dump(exclude={"query", "more"})
        places = take_places(Text(normalise(self.place or "")))
        nearby = tuple(dict.fromkeys([*self.nearby, *places["nearby"]]))
        return Criteria(**fields | places | {"complex": places["complex"] or self.complex, "nearby": nearby})


async def by_model(
    llm: str, message: str, turns: Sequence[tuple[str, str]], find: Callable[[SearchRequest], dict[str, Any]]
) -> str:
    """Let a model such as `openai:gpt-4o-mini` search by `find` and write the answer; `turns` are earlier ones.

    Raise ModelError if the model is unknown, cannot be reached, refuses, searches without end, or replies with nothing.
    """
    from pydantic_ai import Agent, Tool
    from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart
    from pydantic_ai.models import infer_model
    from pydantic_ai.usage import UsageLimits

    def search_listings(request: SearchRequest) -> dict[str, Any]:
        return find(request)

    provider, _, name = llm.partition(":")
    if provider not in PROVIDERS or not name:
        raise ModelError(f"{llm}: write the model as one of {', '.join(f'{prefix}:NAME' for prefix in PROVIDERS)}")
    history: list[ModelMessage] = []
    for question, reply in turns:
        history.append(ModelRequest.user_text_prompt(question, instructions=INSTRUCTIONS))
        history.append(ModelResponse([TextPart(reply)]))
    tools = [Tool(search_listings, takes_ctx=False, description=SearchRequest.__doc__)]
    limits = UsageLimits(request_limit=MOST_REQUESTS)
    try:
        async with infer_model(f"{PROVIDERS[provider]}:{name}") as model:
            client: Any = getattr(model, "client", None)
            client.max_retries = 0  # whoever asked decides whether to ask again, not the SDK
            agent = Agent(model, instructions=INSTRUCTIONS, tools=tools, model_settings={"max_tokens": MOST_TOKENS})
            answer = await agent.run(message, message_history=history, usage_limits=limits)
    except Exception as error:  # each of the three SDKs has its own exceptions
        raise ModelError(f"{llm}: {type(error).__name__}: {error}") from error
    if not answer.output.strip():
        raise ModelError(f"{llm}: the reply is empty")
    return answer.output.strip()
