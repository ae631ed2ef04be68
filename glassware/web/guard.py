"""What every request must be before a page sees it: to this machine by its own name, to read, and of sane length."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST = 4096  # bytes of an address
NAMES = ("127.0.0.1", "localhost", "[::1]")  # of this machine, as a browser says them

# Nothing but what this server sends: figures are drawn without eval, and no other page may frame or read this one.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


class Guard:
    """Refuses what is not a plain reading request to this machine.

    The Host header is checked because a page elsewhere can have a name that leads here: a browser would let it read.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # no web sockets
        refused = _refused(scope)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _ in message.get("headers", [])}
                more = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in known]
                message = {**message, "headers": [*message.get("headers", []), *more]}
            await send(message)

        app = self.app if refused is None else PlainTextResponse(refused[1] + "\n", refused[0])
        await app(scope, receive, answer)


def _refused(scope: Scope) -> tuple[int, str] | None:
    """Why a request is refused, and with which code."""
    hosts = [value.decode("latin-1").lower() for name, value in scope["headers"] if name == b"host"]
    if len(hosts) != 1 or not _ours(hosts[0], NAMES):
        return 403, "this page is for this machine only"
    if scope["method"] not in ("GET", "HEAD"):
        return 405, "this page only reads"
    if len(scope.get("raw_path") or scope["path"].encode()) + len(scope["query_string"]) > LONGEST:
        return 414, "the address is too long"
    sites = [value for name, value in scope["headers"] if name == b"sec-fetch-site"]
    if any(site == b"cross-site" for site in sites) and scope["path"].startswith("/state"):
        return 403, "this page is for this machine only"
    return None


def _ours(host: str, names: Iterable[str]) -> bool:
    return any(host == name or (host.startswith(name + ":") and host[len(name) + 1 :].isdigit()) for name in names)
