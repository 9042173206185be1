"""Call models of other providers through pydantic-ai, which no other file imports.

pydantic-ai takes seconds to import.  So this file is imported at the first call, never for a dry run or for replies in
the cache.  It connects only to the endpoint of the model: no telemetry, no prices.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from typing import Any, cast

from neraca.errors import BudgetReached, MissingExtra, ModelError, SpecError
from neraca.models.client import Declined, RawReply
from neraca.models.endpoint import excerpt, hide
from neraca.models.model_session import Misconfigured
from neraca.models.prompt import Prompt

try:
    from pydantic_ai.direct import model_request
    from pydantic_ai.exceptions import (
        ModelAPIError,
        ModelAuthenticationError,
        ModelConnectionError,
        ModelContextWindowExceededError,
        ModelHTTPError,
        ModelNotFoundError,
        ModelQuotaExceededError,
        ModelRateLimitError,
        ModelRequestRejectedError,
        ModelTimeoutError,
        ModelUnavailableError,
        UnexpectedModelBehavior,
        UserError,
    )
    from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart
    from pydantic_ai.models import Model, ModelRequestParameters, infer_model
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.providers import Provider, infer_provider_class
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import ToolDefinition
except ImportError as _missing:
    raise MissingExtra('models other than openai:… need pydantic-ai: pip install "neraca[judge]"') from _missing

# Reasoning models accept no temperature; pydantic-ai leaves it out and warns at every call.
warnings.filterwarnings("ignore", message="Sampling parameters", module="pydantic_ai")


async def connect(model: str, url: str, key: str) -> AsyncGenerator[Model]:
    """Yield a connected model; see `neraca.models.client.Client`."""
    try:
        connected = infer_model(model, lambda name: _provider(name, url, key))
    except ImportError as error:
        raise MissingExtra(f"{model}: {error}") from None
    except (UserError, ValueError) as error:
        raise SpecError(f"{model}: {hide(str(error), key)}") from None
    async with connected:
        yield connected


def _provider(name: str, url: str, key: str) -> Provider[Any]:
    kind = infer_provider_class(name)
    parameters = inspect.signature(kind.__init__).parameters
    settings = {"base_url": url, "api_key": key}
    for parameter, setting in (("base_url", "url"), ("api_key", "key")):
        if settings[parameter] and parameter not in parameters:
            raise SpecError(
                f"the provider {name!r} does not accept the setting {setting}; use its environment variables"
            )
    provider = kind(**{parameter: value for parameter, value in settings.items() if value})
    if hasattr(provider.client, "max_retries"):
        provider.client.max_retries = 0  # the session retries instead, and counts every refusal
    return provider


def reply_modes(kind: str, schema: Mapping[str, Any]) -> dict[str, ModelRequestParameters]:
    """Return the reply modes, best first; see `neraca.models.client.Client`."""
    output = OutputObjectDefinition(json_schema=dict(schema), name=kind, strict=True)
    tool = ToolDefinition(name=kind, parameters_json_schema=dict(schema), kind="output", description="The reply.")
    return {
        "native": ModelRequestParameters(output_mode="native", output_object=output),
        "tool": ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False),
        "prompted": ModelRequestParameters(output_mode="prompted", output_object=output),
    }


async def complete(
    model: Model,
    prompt: Prompt[Any],
    mode: ModelRequestParameters,
    settings: Mapping[str, Any],
    dropped: Collection[str],
    key: str,
    heard: Callable[[], None] | None = None,
) -> RawReply:
    """Make one call; see `neraca.models.client.Client`.

    Ignore `dropped`, because pydantic-ai knows what its models accept, and `heard`, because no reply is streamed.
    """
    request = ModelRequest.user_text_prompt(prompt.user, instructions=prompt.system)
    try:
        response = await model_request(
            model,
            [request],
            model_settings=cast(ModelSettings, settings),
            model_request_parameters=mode,
            instrument=False,
        )
    except ModelTimeoutError:
        raise TimeoutError from None
    except ModelAPIError as error:
        raise _to_own_error(error, key) from None
    except UserError as error:  # pydantic-ai knows that the model does not support this mode
        raise Declined(hide(str(error), key)) from None
    except UnexpectedModelBehavior as error:
        raise ModelError(f"reply not understood: {hide(str(error), key)}", again=True) from None
    return RawReply(
        text=_text(response),
        stopped=response.finish_reason if response.finish_reason in ("length", "content_filter") else "",
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
        usage=response.usage,
    )


def _text(response: ModelResponse) -> str:
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            return part.args_as_json_str()
    return response.text or ""


def _to_own_error(error: ModelAPIError, key: str) -> Exception:
    """Return our own error, which says whether a retry may help and whether too many calls are in flight."""
    text = excerpt(str(error), key)
    if isinstance(error, ModelQuotaExceededError):
        return BudgetReached(f"the provider says that there is no money or quota left: {text}")
    if isinstance(error, ModelRateLimitError | ModelUnavailableError):
        return ModelError(text, again=True, after=error.retry_after, crowded=True)
    if isinstance(error, ModelConnectionError):
        return Misconfigured(f"not reached: {text}", again=True)
    if isinstance(error, ModelAuthenticationError | ModelNotFoundError):
        return Misconfigured(text)
    if isinstance(error, ModelRequestRejectedError) and not isinstance(error, ModelContextWindowExceededError):
        return Declined(text)
    status = error.status_code if isinstance(error, ModelHTTPError) else 0
    return ModelError(text, again=status in (408, 409, 425) or status >= 500, after=error.retry_after)
