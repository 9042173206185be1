"""Serve the demo over HTTP: the search interface, the chat and a page to try it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import uuid4

from fastapi import FastAPI, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field, field_validator

from neraca.demo import METHODS
from neraca.demo.by_model import ModelError
from neraca.demo.chat import Chat
from neraca.demo.listings import Filters

PAGE = Path(__file__).with_name("page.html")
LONGEST = 2000
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:"


class Question(BaseModel):
    """The body of `POST /chat`; without a session id a new session begins."""

    message: str = Field(max_length=LONGEST)
    session_id: str = Field(default="", max_length=200)
    method: Literal["", "api", "vector", "hybrid"] = ""
    llm: str = Field(default="", max_length=200)

    @field_validator("message")
    @classmethod
    def _not_blank(cls, message: str) -> str:
        if not message.strip():
            raise ValueError("must not be blank")
        return message.strip()


class ListingQuery(BaseModel):
    """The query string of `GET /listings`; a filter left out does not filter."""

    model_config = ConfigDict(extra="forbid")

    property_type: list[Literal["rumah", "apartemen", "ruko", "tanah", "gudang"]] = []
    listing_type: Literal["dijual", "disewa"] | None = None
    min_price: int | None = Field(default=None, ge=0)
    max_price: int | None = Field(default=None, ge=0)
    bedrooms: int | None = Field(default=None, ge=0)
    max_bedrooms: int | None = Field(default=None, ge=0)
    bathrooms: int | None = Field(default=None, ge=0)
    floors: int | None = Field(default=None, ge=1)
    min_floors: int | None = Field(default=None, ge=1)
    max_floors: int | None = Field(default=None, ge=1)
    min_land: int | None = Field(default=None, ge=0)
    max_land: int | None = Field(default=None, ge=0)
    min_building: int | None = Field(default=None, ge=0)
    max_building: int | None = Field(default=None, ge=0)
    district: str | None = None
    lat: float | None = Field(default=None, ge=-90, le=90)
    lng: float | None = Field(default=None, ge=-180, le=180)
    radius_km: float | None = Field(default=None, gt=0)
    limit: int = Field(default=20, ge=1, le=100)
    offset: int = Field(default=0, ge=0)

    def filters(self) -> Filters:
        """Return the filters, without limit and offset."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(Filters)}
        return Filters(**values | {"property_type": tuple(self.property_type)})


def make_app(chat: Chat) -> FastAPI:
    """Make the application around a chatbot."""
    # The documentation pages would load their scripts from another host.
    app = FastAPI(title="Demo property search", docs_url=None, redoc_url=None)
    app.add_exception_handler(RequestValidationError, _explain)

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(PAGE, media_type="text/html", headers={"Content-Security-Policy": POLICY})

    @app.get("/health")
    async def health() -> dict[str, Any]:
        return {"status": "ok", "listings": len(chat.search.listings), "methods": METHODS, "method": chat.method}

    @app.get("/listings")
    def listings(query: Annotated[ListingQuery, Query()]) -> dict[str, Any]:
        try:
            results = chat.search.table.find(query.filters())
        except ValueError as error:
            raise HTTPException(422, str(error)) from error
        page = results[query.offset : query.offset + query.limit]
        return {"total": len(results), "listings": [listing.as_dict() for listing in page]}

    @app.get("/listings/{listing_id}")
    def listing(listing_id: str) -> dict[str, Any]:
        match = chat.search.table.listings.get(listing_id)
        if match is None:
            raise HTTPException(404, f"no listing {listing_id}")
        return match.as_dict()

    @app.post("/chat")
    async def answer(question: Question) -> dict[str, Any]:
        session_id = question.session_id or uuid4().hex
        try:
            return await chat.answer(question.message, session_id, method=question.method, llm=question.llm)
        except (ModelError, ConnectionError) as error:
            raise HTTPException(502, str(error)) from error

    return app


async def _explain(_request: Request, error: Exception) -> JSONResponse:
    """Return a reply that says in one sentence what is wrong with a request."""
    problems = error.errors() if isinstance(error, RequestValidationError) else []
    texts = [f"{'.'.join(map(str, problem['loc'][1:])) or 'body'}: {problem['msg']}" for problem in problems]
    return JSONResponse({"detail": "; ".join(texts)}, status_code=422)
