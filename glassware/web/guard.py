"""What every request must be before a page sees it: to this machine by its own name, from its own page, and short."""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST = 4096  # bytes of an address, and of a body
NAMES = ("127.0.0.1", "localhost", "[::1]")  # of this machine, as a browser says them
TOKEN = "x-glassware-token"  # a header of our own: a page elsewhere cannot send it without asking first

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
    """Refuses what is not a request to this machine that its own page may make.

    The Host header is checked because a page elsewhere can have a name that leads here: a browser would let it read.

    Args:
        app: what answers.
        token: a secret that the page has; who posts must send it. Without one nobody posts: the page only reads.
    """

    def __init__(self, app: ASGIApp, token: str | None = None) -> None:
        self.app, self.token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # no web sockets
        refused = _refused(scope, self.token)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _ in message.get("headers", [])}
                more = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in known]
                message = {**message, "headers": [*message.get("headers", []), *more]}
            await send(message)

        app = self.app if refused is None else PlainTextResponse(refused[1] + "\n", refused[0])
        await app(scope, receive, answer)


def _refused(scope: Scope, token: str | None) -> tuple[int, str] | None:
    """Why a request is refused, and with which code."""
    given = lambda wanted: [v.decode("latin-1").lower() for name, v in scope["headers"] if name == wanted.encode()]
    hosts = given("host")
    if len(hosts) != 1 or not _ours(hosts[0], NAMES):
        return 403, "this page is for this machine only"
    if len(scope.get("raw_path") or scope["path"].encode()) + len(scope["query_string"]) > LONGEST:
        return 414, "the address is too long"
    # A link from elsewhere may lead here; what another page asks for in the background, it may not have.
    if "cross-site" in given("sec-fetch-site") and "navigate" not in given("sec-fetch-mode"):
        return 403, "this page is for this machine only"
    if scope["method"] in ("GET", "HEAD"):
        return None
    if token is None or scope["method"] != "POST":
        return 405, "this page only reads"
    sent = [value for name, value in scope["headers"] if name == TOKEN.encode()]
    if len(sent) != 1 or not hmac.compare_digest(sent[0], token.encode()):
        return 403, "this does not come from the page"
    if any(origin != f"http://{hosts[0]}" for origin in given("origin")):
        return 403, "this does not come from the page"
    sizes = given("content-length")
    if len(sizes) != 1 or not sizes[0].isdecimal() or len(sizes[0]) > 9 or int(sizes[0]) > LONGEST:
        return 413, "the request is too long"
    return None


def _ours(host: str, names: Iterable[str]) -> bool:
    return any(host == name or (host.startswith(name + ":") and host[len(name) + 1 :].isdigit()) for name in names)
