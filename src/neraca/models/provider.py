"""pydantic-ai, for models that our own client does not speak with: the one file that knows it.

pydantic-ai takes seconds to import.  So this file is imported when a model is first asked, never for a dry run or for
replies that are in the cache.  It connects to the model's endpoint and to nothing else: no telemetry, no prices.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import AsyncGenerator, Collection, Mapping
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

# A model that reasons takes no temperature, and pydantic-ai leaves it out and says so at every call.
warnings.filterwarnings("ignore", message="Sampling parameters", module="pydantic_ai")


async def connect(model: str, url: str, key: str) -> AsyncGenerator[Model]:
    """See `neraca.models.client.Client`."""
    try:
        opened = infer_model(model, lambda name: _provider(name, url, key))
    except ImportError as error:
        raise MissingExtra(f"{model}: {error}") from None
    except (UserError, ValueError) as error:
        raise SpecError(f"{model}: {hide(str(error), key)}") from None
    async with opened:
        yield opened


def _provider(name: str, url: str, key: str) -> Provider[Any]:
    kind = infer_provider_class(name)
    parameters = inspect.signature(kind.__init__).parameters
    given = {"base_url": url, "api_key": key}
    for parameter, setting in (("base_url", "url"), ("api_key", "key")):
        if given[parameter] and parameter not in parameters:
            raise SpecError(
                f"the provider {name!r} takes no {setting} from the settings; see its environment variables"
            )
    provider = kind(**{parameter: value for parameter, value in given.items() if value})
    if hasattr(provider.client, "max_retries"):
        provider.client.max_retries = 0  # the session retries, sees every refusal and counts it
    return provider


def reply_modes(kind: str, schema: Mapping[str, Any]) -> dict[str, ModelRequestParameters]:
    """See `neraca.models.client.Client`."""
    shape = OutputObjectDefinition(json_schema=dict(schema), name=kind, strict=True)
    tool = ToolDefinition(name=kind, parameters_json_schema=dict(schema), kind="output", description="The reply.")
    return {
        "native": ModelRequestParameters(output_mode="native", output_object=shape),
        "tool": ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False),
        "prompted": ModelRequestParameters(output_mode="prompted", output_object=shape),
    }


async def complete(
    model: Model,
    prompt: Prompt[Any],
    mode: ModelRequestParameters,
    settings: Mapping[str, Any],
    dropped: Collection[str],
    key: str,
) -> RawReply:
    """See `neraca.models.client.Client`; nothing is ever dropped, because pydantic-ai knows what its models take."""
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
        raise _translated(error, key) from None
    except UserError as error:  # the model is known not to take a shape in this way
        raise Declined(hide(str(error), key)) from None
    except UnexpectedModelBehavior as error:
        raise ModelError(f"not understood: {hide(str(error), key)}", again=True) from None
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


def _translated(error: ModelAPIError, key: str) -> Exception:
    """Return our own error: whether asking again may help, and whether fewer calls should be in flight."""
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
