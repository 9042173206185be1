"""pydantic-ai, for models that our own client does not speak with: the one file that knows it.

A model is opened, asked once, and its errors become ours.  pydantic-ai takes seconds to import, so this file is
imported when a model is first asked, never for a dry run or for replies that are in the cache.  Nothing else than the
model's endpoint is connected to: no telemetry, no download of prices.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import AsyncGenerator, Mapping
from typing import Any, cast

from neraca.errors import BudgetReached, MissingExtra, ModelError, SpecError
from neraca.models.client import Asked, Declined, Said
from neraca.models.endpoint import hide, shown
from neraca.models.model_session import Misconfigured

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
    raise MissingExtra("models other than openai:… need pydantic-ai: pip install 'neraca[judge]'") from _missing

# A model that reasons takes no temperature, and pydantic-ai leaves it out and says so at every call.
warnings.filterwarnings("ignore", message="Sampling parameters", module="pydantic_ai")


async def opened(model: str, url: str, key: str) -> AsyncGenerator[Model]:
    """See `neraca.models.client.Client`."""
    try:
        found = infer_model(model, lambda name: _provider(name, url, key))
    except ImportError as error:
        raise MissingExtra(f"{model}: {error}") from None
    except (UserError, ValueError) as error:
        raise SpecError(f"{model}: {hide(str(error), key)}") from None
    async with found:
        yield found


def _provider(name: str, url: str, key: str) -> Provider[Any]:
    kind = infer_provider_class(name)
    takes = inspect.signature(kind.__init__).parameters
    given = {"base_url": url, "api_key": key}
    for what, word in (("base_url", "url"), ("api_key", "key")):
        if given[what] and what not in takes:
            raise SpecError(f"the provider {name!r} takes no {word} from the settings; see its environment variables")
    provider = kind(**{what: value for what, value in given.items() if value})
    if hasattr(provider.client, "max_retries"):
        provider.client.max_retries = 0  # retries are the session's, which sees every refusal and counts it
    return provider


def ways(kind: str, schema: Mapping[str, Any]) -> dict[str, ModelRequestParameters]:
    """See `neraca.models.client.Client`."""
    shape = OutputObjectDefinition(json_schema=dict(schema), name=kind, strict=True)
    tool = ToolDefinition(name=kind, parameters_json_schema=dict(schema), kind="output", description="The reply.")
    return {
        "native": ModelRequestParameters(output_mode="native", output_object=shape),
        "tool": ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False),
        "prompted": ModelRequestParameters(output_mode="prompted", output_object=shape),
    }


async def said(model: Model, prompt: Asked, way: ModelRequestParameters, settings: Mapping[str, Any], key: str) -> Said:
    """See `neraca.models.client.Client`."""
    request = ModelRequest.user_text_prompt(prompt.user, instructions=prompt.system)
    try:
        response = await model_request(
            model,
            [request],
            model_settings=cast(ModelSettings, settings),
            model_request_parameters=way,
            instrument=False,
        )
    except ModelTimeoutError:
        raise TimeoutError from None
    except ModelAPIError as error:
        raise _ours(error, key) from None
    except UserError as error:  # the model is known not to take a shape in this way
        raise Declined(hide(str(error), key)) from None
    except UnexpectedModelBehavior as error:
        raise ModelError(f"not understood: {hide(str(error), key)}", again=True) from None
    return Said(
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


def _ours(error: ModelAPIError, key: str) -> Exception:
    """What an error of the SDK means: whether asking again may help, and whether fewer should be asked at once."""
    text = shown(str(error), key)
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
