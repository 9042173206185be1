"""Serve the demo over HTTP: the chat, and a page to try it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import uuid4

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from pydantic import BaseModel, Field, StringConstraints

from neraca.demo.by_model import ModelError
from neraca.demo.chat import Chat

PAGE = Path(__file__).with_name("page.html")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:"


class Question(BaseModel):
    """The body of `POST /chat`; without a session id a new session begins."""

    message: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
    session_id: str = Field(default="", max_length=200)
    method: Literal["", "api", "vector", "hybrid"] = ""
    llm: str = Field(default="", max_length=200)


def make_app(chat: Chat) -> FastAPI:
    """Make the application around a chatbot."""
    # The documentation pages would load their scripts from another host.
    app = FastAPI(title="Demo property search", docs_url=None, redoc_url=None)
    app.add_exception_handler(RequestValidationError, _explain)

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(PAGE, media_type="text/html", headers={"Content-Security-Policy": POLICY})

    @app.post("/chat")
    async def answer(question: Question) -> dict[str, Any]:
        session_id = question.session_id or uuid4().hex
        try:
            return await chat.answer(question.message, session_id, method=question.method, llm=question.llm)
        except ModelError as error:
            raise HTTPException(502, str(error)) from error

    return app


async def _explain(_request: Request, error: Exception) -> JSONResponse:
    """Return a reply that says in one sentence what is wrong with a request."""
    problems = error.errors() if isinstance(error, RequestValidationError) else []
    texts = [f"{'.'.join(map(str, problem['loc'][1:])) or 'body'}: {problem['msg']}" for problem in problems]
    return JSONResponse({"detail": "; ".join(texts)}, status_code=422)
